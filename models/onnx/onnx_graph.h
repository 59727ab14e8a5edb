// A Graph in the making, from a model that counts channels first.
//
// ONNX's images are NCHW, a Graph's are NHWC. Every tensor here knows which of the two orders its
// elements stand in, and is brought into the other where an operator needs it: once, and by a
// RESHAPE where the bytes are the same. Operators are TFLite's, under ONNX's arithmetic.
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

  /// A tensor that something computes, or an input. `channels_last`: the shape is NHWC.
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
  /// The shape as the model has it.
  std::vector<int> onnx_shape(int id) const;

  /// Where axis `axis` of the model's shape stands in the tensor.
  int stored_axis(int id, int64_t axis) const;

  /// The tensor with its elements in the order named. Of four axes, or in that order already.
  int to_channels_last(int id);
  int to_onnx_order(int id);
  /// The same bytes under another shape and order.
  int reshaped(int id, const std::vector<int>& shape, bool channels_last);
  int transposed(int id, const std::vector<int32_t>& axes, bool channels_last);
  /// Several tensors along a stored axis, all of one order.
  int concatenated(const std::vector<int>& ids, int stored_axis);
  /// Places along a stored axis, each within it.
  int gathered(int id, int stored_axis, const std::vector<int64_t>& places);
  /// What stands for 0: the zero point, or 0 of what has none.
  int zero_of(int id) const;
  /// Stored axis i longer by before[i] and after[i] elements that are stored as `value`.
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
  /// Makes state of what a step computes as `output` and the next one reads as `input`; both are
  /// tensors like any other then. onnx_state.cc. kInvalidInput: they do not fit.
  Status keep(int input, int output);

  /// Checks every operator and its size. kInvalidInput, kUnsupported: as import_onnx().
  Result<Graph> finish() &&;

 private:
  Graph graph_;
  std::vector<bool> channels_last_;
  std::map<std::pair<int, bool>, int> other_order_;
};

}  // namespace tinytune
