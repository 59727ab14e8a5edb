// The forms of SOFTMAX.
#pragma once

#include <cstdint>
#include <vector>

namespace tinytune {

/// SOFTMAX over the innermost dimension, of int8 (TFLite's fixed-point reference).
struct SoftmaxOp {
  int rows = 1, depth = 1;
  int32_t input_multiplier = 0;
  int input_left_shift = 0;
  int diff_min = 0;
  bool wide_output = false;  ///< int16 in units of 2^-16 above -32768, else int8 in units of 2^-8
  int output_bits() const { return wide_output ? 16 : 8; }
};

/// ONNX's Softmax over the innermost axis: with p = exp[max - x] / (sum of them), `first` plus the
/// number of steps that p * 2^32 reaches. Odd steps are ties that round down: p has to exceed them.
struct SteppedSoftmaxOp {
  int rows = 1, depth = 1;
  std::vector<uint32_t> exp;    ///< by difference, 256; `depth` times the first fits a word
  int first = -128;             ///< the output of p = 0
  std::vector<uint32_t> steps;  ///< ascending, at most 255
  bool first_is_odd = false;    ///< whether the level of steps[0], less the zero point, is odd
};

/// SOFTMAX over the innermost axis, by two tables of 513 points (models/reference/wide_tables.h).
struct WideSoftmaxOp {
  int rows = 1, depth = 1;
  int32_t multiplier = 0;  ///< from a difference to units of 10 / 65535
  int shift = 0;
};

}  // namespace tinytune
