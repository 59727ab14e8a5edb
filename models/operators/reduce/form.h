// The forms of reductions.
#pragma once

#include <array>
#include <cstdint>

#include "schedules/workload.h"

namespace tinytune {

/// REDUCE_MAX, REDUCE_MIN of int8, REDUCE_ALL of bool: axes as in MeanOp.
enum class Reduction { kMaximum, kMinimum, kAll };
struct ReduceOp {
  std::array<int, 5> extents{1, 1, 1, 1, 1};  ///< of the input
  std::array<int64_t, 5> output_steps{};      ///< 0 on reduced axes
  int64_t output_elements = 0;
  Reduction reduction = Reduction::kMaximum;
};

/// ARG_MAX, ARG_MIN of int8: the first index of the extreme along the middle axis, as int32.
struct ArgExtremumOp {
  int64_t outer = 1, axis = 1, inner = 1;
  bool maximum = true;
};

/// MEAN and SUM over any axes: requantise(sum - zero_point * count), by a multiplier that for MEAN
/// includes 1 / count. Axes are the input's, outermost first.
struct MeanOp {
  std::array<int, 5> extents{1, 1, 1, 1, 1};  ///< of the input
  std::array<int64_t, 5> output_steps{};      ///< 0 on reduced axes
  int64_t output_elements = 0;
  int32_t bias = 0;  ///< -zero_point * count, added to each sum
  int32_t multiplier = 0;
  int shift = 0, output_zero_point = 0;
  Rounding rounding = Rounding::kTwice;
  bool wide = false;  ///< of int16
};

}  // namespace tinytune
