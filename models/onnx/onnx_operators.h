// Which ONNX operators are imported, and how: one row each. A family of operators is one file.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "models/onnx/onnx_import.h"
#include "models/onnx/onnx_integers.h"

namespace tinytune {

/// What a QLinear operator computed, and its element type in the model.
struct OnnxResult {
  int id;
  ElementType type;
};

/// A row has one of the members, or several where an operator is several things.
struct OnnxOperator {
  std::string_view name;
  /// Real operands; the result as bytes of this scale.
  Result<int> (*real)(OnnxImport&, const OnnxNode&, const OnnxScale&, Activation) = nullptr;
  bool fuses = false;  ///< whether `real` applies the activation; else it is given none
  /// Moves or compares bytes, so it means the same of bytes and of reals: output `output` of `data`
  /// inputs, which have one scale.
  Result<int> (*move)(OnnxImport&, const OnnxNode&, int output,
                      const std::vector<int>& data) = nullptr;
  /// The same of bytes only: of reals it is something else.
  Result<int> (*byte_move)(OnnxImport&, const OnnxNode&, int output,
                           const std::vector<int>& data) = nullptr;
  /// Real numbers to one real number, element by element; an absent input is NaN.
  float (*function)(const OnnxNode&, std::span<const float>) = nullptr;
  /// Whether the function of two quantised operands is `real`'s, which rounds otherwise.
  bool has_kernel = false;
  /// Bytes with scales among its inputs.
  Result<OnnxResult> (*bytes)(OnnxImport&, const OnnxNode&) = nullptr;
  /// Whole numbers or bools to the same, without scales.
  Result<OnnxResult> (*whole)(OnnxImport&, const OnnxNode&) = nullptr;
  /// The sums that the real numbers are, int32 with one scale: for an output in float32.
  Result<int> (*sums)(OnnxImport&, const OnnxNode&) = nullptr;
  bool takes_condition = false;  ///< its first input is bools
  /// Of plain integers (onnx_integers.h). `of_integer`: a function of one of them, also where
  /// `integers` has it of more than a byte.
  Result<OnnxWhole> (*integers)(OnnxIntegers&, const OnnxNode&) = nullptr;
  int64_t (*of_integer)(const OnnxNode&, int64_t) = nullptr;
  std::optional<ElementType> takes{}, gives{};  ///< what it reads alone, what its result always is
  /// Why it is refused.
  std::string_view refused{};

  /// Whether it has a meaning among plain integers alone.
  bool is_of_dialect() const {
    return (integers != nullptr || of_integer != nullptr) && real == nullptr && move == nullptr &&
           byte_move == nullptr;
  }
};

/// Null where there is no row.
const OnnxOperator* find_onnx_operator(const OnnxNode& node);

/// How many inputs of a move are data; the others say what is done with them.
size_t data_inputs(const OnnxNode& node);

/// Whether a Resize or Upsample computes elements between others: then it means one thing of bytes
/// and another of real numbers.
bool is_interpolation(const OnnxNode& node);
/// That, of bytes of a model's type.
Result<int> interpolated(OnnxImport& import, const OnnxNode& node, int id, ElementType type);
/// Why it is refused of real numbers.
Error interpolated_reals(const OnnxNode& node);

/// Limits of a Relu, Relu6 or Clip whose bounds are constants; nothing of other operators.
std::optional<OnnxClamp> clamp_of(const OnnxImport& import, const OnnxNode& node);

/// The values of a real number for every int8 of the tensor that it is a function of.
struct OnnxFunction {
  int source = -1;            ///< -1: it is a constant
  std::vector<float> values;  ///< of -128 first
};
/// Nothing where it is a function of several tensors, or of other than functions.
Result<std::optional<OnnxFunction>> function_of(OnnxImport& import, const OnnxNode& by,
                                                const std::string& name);
/// The function, quantised, as a table of bytes.
TableAttributes table_of(const OnnxFunction& function, const OnnxScale& scale,
                         const OnnxClamp& clamp);
/// The kind of operator in a graph that comes nearest, for reports.
OperatorKind kind_of(const OnnxNode& node);

}  // namespace tinytune
