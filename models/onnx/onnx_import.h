// The import of one ONNX network: what its operators (onnx_operators.h) are given to work with.
//
// Bytes become tensors of the graph as they are met. A real number stays the name of what computes
// it until QuantizeLinear says how it becomes bytes: only then is there an operator with a scale.
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
  /// The limits of this one, then of `next`.
  OnnxClamp then(const OnnxClamp& next) const;
  /// As an activation that kernels apply, if it is one.
  std::optional<Activation> activation() const;
};

/// An operand of a QLinear operator: its tensor and what the model says of it.
struct OnnxOperand {
  int id = -1;
  OnnxScale scale;
};

class OnnxImport {
 public:
  OnnxImport(OnnxModel& model, const std::string& name)
      : model_(model), graph_(name), values_(model) {}

  /// As import_onnx() has them.
  Result<Graph> run(std::span<const std::string> types, std::span<const std::string> states);

  OnnxGraph& graph() { return graph_; }
  const OnnxModel& model() const { return model_; }
  const OnnxValues& values() const { return values_; }
  void set_bytes(const std::string& name, OnnxBytes bytes) { values_.set_bytes(name, bytes); }

  /// int8 bytes of that name and scale, computed or constant.
  Result<int> bytes(const OnnxNode& node, const std::string& name, const OnnxScale& scale);
  /// 8-bit data with the scale that it has, or with 1 where nothing says one.
  Result<int> unscaled(const OnnxNode& node, const std::string& name);
  /// Input `at` of a QLinear operator, with its scale and zero point behind it.
  Result<OnnxOperand> operand_at(const OnnxNode& node, size_t at);
  /// The scale of a QLinear operator's result, inputs `at` and `at + 1`. `like`: an operand.
  Result<OnnxScale> result_scale(const OnnxNode& node, size_t at, const OnnxOperand& like);

  /// A real number as bytes of this scale; the node that asks for it is in messages.
  Result<int> quantised(const OnnxNode& by, const std::string& name, const OnnxScale& scale,
                        const OnnxClamp& clamp = {});
  /// A real operand, as bytes with the scale that it has.
  Result<int> operand(const OnnxNode& node, size_t i);
  /// A real constant, also behind Identity, Transpose or a new shape; nothing if it is none.
  Result<std::optional<OnnxConstant>> constant_real(const OnnxNode& node, const std::string& name);

  /// A new tensor of one operator on `from`, of the same shape.
  int mapped(const OnnxNode& node, OperatorKind kind, int from, const OnnxScale& scale,
             Attributes attributes = {});
  /// The same bytes, read with another scale.
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
  std::map<Wanted, int> quantised_;  ///< what has been computed already
};

}  // namespace tinytune
