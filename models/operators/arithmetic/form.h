// The forms of SQUARED_DIFFERENCE, PRELU, DIV, ADD_N and CUMSUM.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/broadcast.h"

namespace tinytune {

/// SQUARED_DIFFERENCE: clamp(offset + requantise((terms[0][a] - terms[1][b])^2)).
struct SquaredDifferenceOp {
  int64_t elements = 0;
  std::array<std::vector<int32_t>, 2> terms;  ///< of every int8 value, -128 first
  int32_t multiplier = 0;
  int shift = 0, output_offset = 0;
  Broadcast broadcast;
  std::array<std::vector<int8_t>, 2> constants;
};

/// PRELU of x and alpha less their zero points: requantise(x) where x >= 0, else
/// requantise(x * alpha) by the other multiplier.
struct PreluOp {
  int64_t elements = 0;
  int32_t input_offset = 0, alpha_offset = 0, output_offset = 0;
  int32_t positive_multiplier = 0, negative_multiplier = 0;
  int positive_shift = 0, negative_shift = 0;
  Broadcast broadcast;
  std::array<std::vector<int8_t>, 2> constants;
};

/// DIV: clamp(offset + rescaled(a' / b')). A b' of zero takes fixed_point::reciprocal(0).
struct DivOp {
  int64_t elements = 0;
  int32_t input1_offset = 0, input2_offset = 0, output_offset = 0;
  int32_t multiplier = 0;
  int shift = 0;  ///< at most kMostDivShift, so that the quotient is always shifted right
  int activation_min = -128, activation_max = 127;
  Broadcast broadcast;
  std::array<std::vector<int8_t>, 2> constants;
};
inline constexpr int kMostDivShift = 22;

/// ADD_N: clamp(offset + requantise(base + the sum of terms)).
struct AddNOp {
  int64_t elements = 0;
  std::vector<int32_t> terms;  ///< of every int8 value, -128 first
  int32_t base = 0;
  int32_t multiplier = 0;
  int shift = 0, output_offset = 0;
  std::vector<std::vector<int8_t>> constants;  ///< by operand; empty where it is computed
  int64_t operations() const { return elements * static_cast<int64_t>(constants.size()); }
};

/// CUMSUM along the middle axis: requantise(base + the sum of terms so far).
struct CumsumOp {
  int64_t outer = 1, axis = 1, inner = 1;
  bool exclusive = false, reverse = false;
  std::vector<int32_t> terms;  ///< of every int8 value, -128 first
  int32_t base = 0;
  int32_t multiplier = 0;
  int shift = 0, output_offset = 0;
};

}  // namespace tinytune
