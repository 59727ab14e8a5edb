// The import of one ONNX network: the interface for its operators (onnx_operators.h).
//
// Bytes become tensors of the graph as they are met. For a real number, import only records which
// node computes it, until QuantizeLinear gives its scale: only then can it create an operator.
#pragma once

#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "models/onnx/onnx_graph.h"
#include "models/onnx/onnx_values.h"

namespace tinytune {

/// Limits that Relu and Clip put on a result. They commute with quantising and with moves.
struct OnnxClamp {
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();

  bool is_none() const { return std::isinf(low) && std::isinf(high) && low < high; }
  /// Returns this clamp followed by `next`.
  OnnxClamp then(const OnnxClamp& next) const;
  /// Returns the equivalent activation that kernels apply, if there is one.
  std::optional<Activation> activation() const;
};

/// An operand of a QLinear operator: its tensor, and its scale and type in the model.
struct OnnxOperand {
  int id = -1;
  OnnxScale scale;
};

class OnnxImport {
 public:
  OnnxImport(OnnxModel& model, const std::string& name)
      : model_(model), graph_(name), values_(model) {}

  /// Imports the network; arguments as for import_onnx().
  Result<Graph> run(std::span<const std::string> types, std::span<const std::string> states);

  OnnxGraph& graph() { return graph_; }
  const OnnxModel& model() const { return model_; }
  const OnnxValues& values() const { return values_; }
  void set_bytes(const std::string& name, OnnxBytes bytes) { values_.set_bytes(name, bytes); }

  /// Returns the int8 tensor of that name with this scale, computed or constant.
  Result<int> bytes(const OnnxNode& node, const std::string& name, const OnnxScale& scale);
  /// Returns 8-bit data with its own scale, or with scale 1 if it has none.
  Result<int> unscaled(const OnnxNode& node, const std::string& name);
  /// Returns input `at` of a QLinear operator; its scale and zero point are the next two inputs.
  Result<OnnxOperand> operand_at(const OnnxNode& node, size_t at);
  /// Returns the scale of a QLinear operator's result, inputs `at`, `at + 1`. `like`: an operand.
  Result<OnnxScale> result_scale(const OnnxNode& node, size_t at, const OnnxOperand& like);

  /// Returns a real tensor quantised with this scale; messages name `by`, the node that reads it.
  Result<int> quantised(const OnnxNode& by, const std::string& name, const OnnxScale& scale,
                        const OnnxClamp& clamp = {});
  /// Returns a real operand as bytes with its own scale.
  Result<int> operand(const OnnxNode& node, size_t i);
  /// Returns a real constant, also behind Identity, Transpose or a new shape; nullopt if computed.
  Result<std::optional<OnnxConstant>> constant_real(const OnnxNode& node, const std::string& name);

  /// Adds an operator on `from`; returns its result, which has the same shape.
  int mapped(const OnnxNode& node, OperatorKind kind, int from, const OnnxScale& scale,
             Attributes attributes = {});
  /// Returns the same bytes under another scale.
  int reread(int id, const OnnxScale& scale);

 private:
  Status read_integers(std::span<const std::string> types);
  Status add_inputs();
  Status add_outputs();
  Status keep_states(std::span<const std::string> states);
  Status read(const OnnxNode& node);
  Status read_quantize(const OnnxNode& node);
  Status read_dequantize(const OnnxNode& node);
  Status read_move(const OnnxNode& node);
  Result<bool> read_constant(const OnnxNode& node);
  Result<std::optional<std::vector<int>>> shape_of(const std::string& name) const;

  Result<int> quantised_anew(const OnnxNode& by, const std::string& name, const OnnxScale& scale,
                             const OnnxClamp& clamp);
  Result<int> computed(const OnnxPending& pending, const OnnxScale& scale, const OnnxClamp& clamp);
  Result<int> constant_bytes(const OnnxNode& node, const OnnxConstant& constant,
                             const OnnxScale& scale);
  Result<int> resolved(const OnnxNode& node, const std::string& name, const OnnxScale& scale);
  Status add_float_output(const OnnxValue& output);
  Status add_dequantized(const OnnxValue& output, int from);
  Status add_byte_output(const OnnxValue& output, const OnnxBytes& bytes);

  OnnxModel& model_;
  OnnxGraph graph_;
  OnnxValues values_;
  using Wanted = std::tuple<std::string, std::vector<float>, std::vector<int32_t>, float, float>;
  std::map<Wanted, int> quantised_;  ///< tensors quantised already
};

}  // namespace tinytune
