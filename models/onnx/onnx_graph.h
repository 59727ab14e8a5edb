// Builds a Graph from an ONNX model, whose images are channels-first.
//
// ONNX's images are NCHW, a Graph's are NHWC. Each tensor records in which of the two orders its
// elements are stored. It is transposed when an operator needs the other order: once, and by a
// RESHAPE if the bytes stay the same. Operators are TFLite's, with ONNX's arithmetic.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "models/graph.h"
#include "models/onnx/onnx_model.h"
#include "models/operator_kind.h"
#include "tinytune/result.h"

namespace tinytune {

class OnnxGraph {
 public:
  explicit OnnxGraph(std::string name);

  /// Adds a computed tensor or an input; returns its id. `channels_last`: the shape is NHWC.
  int add(const std::string& name, ElementType type, std::vector<int> shape, Quantization q,
          bool channels_last);
  int add_constant(const std::string& name, ElementType type, std::vector<int> shape,
                   std::vector<uint8_t> data, Quantization q = {});
  int add_numbers(const std::string& name, const std::vector<int32_t>& values,
                  std::vector<int> shape);
  void add_operator(OperatorKind kind, std::vector<int> inputs, int output,
                    Attributes attributes = {});

  const Tensor& tensor(int id) const { return graph_.tensor(id); }
  bool channels_last(int id) const { return channels_last_.at(static_cast<size_t>(id)); }
  /// Returns the shape as in the ONNX model.
  std::vector<int> onnx_shape(int id) const;

  /// Returns the tensor's axis that holds axis `axis` of the model's shape.
  int stored_axis(int id, int64_t axis) const;

  /// Returns the tensor in the order named. Requires four axes, unless it has that order already.
  int to_channels_last(int id);
  int to_onnx_order(int id);
  /// Returns the same bytes with another shape and order.
  int reshaped(int id, const std::vector<int>& shape, bool channels_last);
  int transposed(int id, const std::vector<int32_t>& axes, bool channels_last);
  /// Concatenates tensors of one order along a stored axis.
  int concatenated(const std::vector<int>& ids, int stored_axis);
  /// Gathers `places` along a stored axis; each must be in range.
  int gathered(int id, int stored_axis, const std::vector<int64_t>& places);
  /// Returns the stored value that represents 0: the zero point, or 0 if there is none.
  int zero_of(int id) const;
  /// Pads stored axis i with before[i] and after[i] elements of the stored value `value`.
  int padded(int id, const std::vector<int64_t>& before, const std::vector<int64_t>& after,
             int value);

  void give_quantization(int id, Quantization q);
  void add_input(int id) { graph_.inputs.push_back(id); }
  void add_output(int id) { graph_.outputs.push_back(id); }
  const std::vector<int>& inputs() const { return graph_.inputs; }
  const std::vector<int>& outputs() const { return graph_.outputs; }
  void set_border(std::vector<int> inputs, std::vector<int> outputs) {
    graph_.inputs = std::move(inputs);
    graph_.outputs = std::move(outputs);
  }
  /// Makes state of a pair: an inference computes it as `output`, the next reads it as `input`.
  /// Both become ordinary tensors. In onnx_state.cc. kInvalidInput: types or shapes do not fit.
  Status keep(int input, int output);

  /// Checks every operator and its size. kInvalidInput, kUnsupported: as import_onnx().
  Result<Graph> finish() &&;

 private:
  Graph graph_;
  std::vector<bool> channels_last_;
  std::map<std::pair<int, bool>, int> other_order_;
};

}  // namespace tinytune
