// The forms of L2_NORMALIZATION and LOG_SOFTMAX.
#pragma once

#include <cstdint>
#include <vector>

namespace tinytune {

/// L2_NORMALIZATION over the innermost axis, to scale 1/128.
struct L2NormalizationOp {
  int rows = 1, depth = 1;
  int32_t input_offset = 0;
};

/// LOG_SOFTMAX over the innermost axis, to scale 1/16 below zero point 127.
struct LogSoftmaxOp {
  int rows = 1, depth = 1;
  std::vector<int32_t> differences;  ///< Q5.26, of 0, -1, -2, … to -255
  int diff_min = 0;                  ///< the least difference that adds to the sum
  int32_t reverse_multiplier = 0;    ///< from Q5.26 back to differences
  int reverse_shift = 0;
};

}  // namespace tinytune
