// The forms of ADD, SUB, MUL, MAXIMUM and MINIMUM.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "models/broadcast.h"
#include "models/byte_steps.h"
#include "models/graph.h"

namespace tinytune {

/// ADD and SUB (TFLite's AddParams).
struct AddOp {
  int64_t elements = 0;
  int32_t input1_offset = 0, input2_offset = 0, output_offset = 0;
  int32_t input1_multiplier = 0, input2_multiplier = 0, output_multiplier = 0;
  int input1_shift = 0, input2_shift = 0, output_shift = 0, left_shift = 20;
  int activation_min = -128, activation_max = 127;
  bool subtract = false;
  Broadcast broadcast;
  std::array<std::vector<int8_t>, 2> constants;  ///< of an operand that is a constant, else empty
};

/// MUL: clamp(offset + requantise(a' * b')) with a' and b' less their zero points.
struct MulOp {
  int64_t elements = 0;
  int32_t input1_offset = 0, input2_offset = 0, output_offset = 0;
  int32_t multiplier = 0;
  int shift = 0;
  ByteSteps steps;  ///< ONNX's; replaces multiplier (then at most an estimate) and offset; or empty
  int activation_min = -128, activation_max = 127;
  Broadcast broadcast;
  std::array<std::vector<int8_t>, 2> constants;
  std::array<std::vector<uint8_t>, 2> lookups;  ///< tables applied to operands first, or empty
};

/// MAXIMUM, MINIMUM of the stored values: TFLite requires equal scales and relies on it.
struct ExtremumOp {
  int64_t elements = 0;
  bool maximum = true;
  Broadcast broadcast;
  std::array<std::vector<int8_t>, 2> constants;
};

/// ONNX's ADD and SUB: y = terms[0][a] + terms[1][b] is the sum in units of 2^-shift of the output,
/// zero point included; the result is k = floor(y), or k + 1 if y's fraction reaches steps[k mod
/// 256]. Preparation checks every pair, so the steps include the float sum's own roundings.
struct SteppedAddOp {
  int64_t elements = 0;
  std::array<std::vector<int64_t>, 2> terms;  ///< of every int8 value, -128 first
  std::vector<int64_t> steps;                 ///< by k mod 256; 2^shift: never rounds up
  int shift = 0;
  bool wide = false;  ///< whether y needs 64 bits
  int activation_min = -128, activation_max = 127;
  Broadcast broadcast;
  std::array<std::vector<int8_t>, 2> constants;
};

/// ADD and SUB: as AddOp, from values shifted left by 15.
struct WideAddOp {
  static constexpr int kLeftShift = 15;
  int32_t input1_multiplier = 0, input2_multiplier = 0, output_multiplier = 0;
  int input1_shift = 0, input2_shift = 0, output_shift = 0;
  int activation_min = -32768, activation_max = 32767;
  bool subtract = false;
  Broadcast broadcast;
  std::array<std::vector<uint8_t>, 2> constants;  ///< of an operand that is a constant, else empty
};

/// MUL: clamp(requantise(a * b)).
struct WideMulOp {
  int32_t multiplier = 0;
  int shift = 0;
  int activation_min = -32768, activation_max = 32767;
  Broadcast broadcast;
  std::array<std::vector<uint8_t>, 2> constants;
};

/// ADD, SUB and MUL of int32, MAXIMUM and MINIMUM of int32 and int16. Sums and products wrap, as on
/// every core; in TensorFlow Lite's C++ they are undefined.
struct RawArithmeticOp {
  enum class Function { kAdd, kSubtract, kMultiply, kMaximum, kMinimum };
  Function function = Function::kAdd;
  ElementType type = ElementType::kInt32;
  int32_t activation_min = std::numeric_limits<int32_t>::min();
  int32_t activation_max = std::numeric_limits<int32_t>::max();
  Broadcast broadcast;
  std::array<std::vector<uint8_t>, 2> constants;  ///< of an operand that is a constant, else empty
};

}  // namespace tinytune
