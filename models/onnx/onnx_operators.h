// The table of imported ONNX operators, one row each. Each family of operators is one file.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "models/onnx/onnx_import.h"
#include "models/onnx/onnx_integers.h"

namespace tinytune {

/// The result of a QLinear operator, and its element type in the model.
struct OnnxResult {
  int id;
  ElementType type;
};

/// How an operator is imported. A row sets one member, or several if the operator has several uses.
struct OnnxOperator {
  std::string_view name;
  /// Imports it on real operands; returns the result as bytes of this scale.
  Result<int> (*real)(OnnxImport&, const OnnxNode&, const OnnxScale&, Activation) = nullptr;
  bool fuses = false;  ///< whether `real` applies the activation; else it gets kNone
  /// Imports moves and comparisons, which are the same on bytes and on reals. Returns output
  /// `output` for the `data` inputs, which have one scale.
  Result<int> (*move)(OnnxImport&, const OnnxNode&, int output,
                      const std::vector<int>& data) = nullptr;
  /// The same for bytes only; on reals the operator is imported otherwise.
  Result<int> (*byte_move)(OnnxImport&, const OnnxNode&, int output,
                           const std::vector<int>& data) = nullptr;
  /// Computes one real element from the inputs' elements; an absent input is NaN.
  float (*function)(const OnnxNode&, std::span<const float>) = nullptr;
  /// Whether `real`, which rounds differently, takes precedence if all operands are quantised.
  bool has_kernel = false;
  /// Imports it on bytes whose scales are inputs, too.
  Result<OnnxResult> (*bytes)(OnnxImport&, const OnnxNode&) = nullptr;
  /// Imports it on integers or bools without scales.
  Result<OnnxResult> (*whole)(OnnxImport&, const OnnxNode&) = nullptr;
  /// Returns the real result as int32 sums with one scale, for an output in float32.
  Result<int> (*sums)(OnnxImport&, const OnnxNode&) = nullptr;
  bool takes_condition = false;  ///< its first input is a bool tensor
  /// Import it on plain integers (onnx_integers.h). `of_integer`: an elementwise function, used for
  /// bytes; `integers` then takes int32.
  Result<OnnxWhole> (*integers)(OnnxIntegers&, const OnnxNode&) = nullptr;
  int64_t (*of_integer)(const OnnxNode&, int64_t) = nullptr;
  std::optional<ElementType> takes{}, gives{};  ///< the only types of input 0 and of the result
  /// Why import refuses it, if it does.
  std::string_view refused{};

  /// Whether it exists only among plain integers.
  bool is_of_dialect() const {
    return (integers != nullptr || of_integer != nullptr) && real == nullptr && move == nullptr &&
           byte_move == nullptr;
  }
};

/// Returns the node's row; null if there is none.
const OnnxOperator* find_onnx_operator(const OnnxNode& node);

/// Returns how many inputs of a move are data; the others are parameters.
size_t data_inputs(const OnnxNode& node);

/// Returns whether a Resize or Upsample interpolates: then it rounds differently on bytes and on
/// real numbers.
bool is_interpolation(const OnnxNode& node);
/// Imports such a node on bytes that have this type in the model.
Result<int> interpolated(OnnxImport& import, const OnnxNode& node, int id, ElementType type);
/// Returns why such a node is refused on real numbers.
Error interpolated_reals(const OnnxNode& node);

/// Returns the limits of a Relu, Relu6 or Clip with constant bounds; nullopt for other nodes.
std::optional<OnnxClamp> clamp_of(const OnnxImport& import, const OnnxNode& node);

/// A real tensor as a function of one int8 tensor: its value for every int8.
struct OnnxFunction {
  int source = -1;            ///< tensor id; -1: a constant
  std::vector<float> values;  ///< by int8 from -128 on
};
/// Returns `name` as such a function; nullopt if it depends on several tensors or on operators that
/// are no functions.
Result<std::optional<OnnxFunction>> function_of(OnnxImport& import, const OnnxNode& by,
                                                const std::string& name);
/// Returns the clamped and quantised function as a table of bytes.
TableAttributes table_of(const OnnxFunction& function, const OnnxScale& scale,
                         const OnnxClamp& clamp);
/// Returns the nearest kind of operator in a graph, for reports.
OperatorKind kind_of(const OnnxNode& node);

}  // namespace tinytune
