// The code of sliding_depthwise.cc: a channel's weights in registers, and a window that slides
// along one axis of the image after the other of its lines, cut into pieces of code.
//
// Outputs at a border lack taps. Instead of a padded copy or a test, each piece of code is written
// for outputs that lack the same ones: blocks of outputs with equal borders are one loop.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedules/schedule.h"
#include "schedules/workload.h"

namespace tinytune {

/// Kernel rows or columns that lie inside the input: [first, end).
struct TapRange {
  int first = 0, end = 0;
  bool operator==(const TapRange&) const = default;
};

/// One axis of the image.
struct WindowAxis {
  int outputs, inputs, kernel, stride, pad;
  int64_t input_step, output_step;  ///< bytes to the neighbour

  TapRange taps(int output) const;
};

/// `times` blocks of `outputs` neighbours each, one behind the other, all with the same taps.
struct Blocks {
  int first, outputs, times;
  int end() const { return first + outputs * times; }
  bool operator==(const Blocks&) const = default;
};

/// From output 0 on, `outputs` a block; the last one may be smaller.
std::vector<Blocks> blocks_across(const WindowAxis& axis, int outputs);

/// One loop over `outputs` a turn that have all their taps. What is too much for it goes before it,
/// beside the border; all in one block where there would be but one turn.
std::vector<Blocks> blocks_along(const WindowAxis& axis, int outputs);

/// What a schedule says, and both axes of the image.
struct SlidingPlan {
  WindowAxis along, across;  ///< the axis that the window slides on, and the other one
  bool along_rows;
  int step, band;  ///< neighbouring outputs in one piece of code, along and across
  int right;       ///< shift of the requantisation (schedules/scaled_weights.h)
  bool branches;   ///< to the clamp's ends; else they are values that are selected

  SlidingPlan(const Workload& workload, const Schedule& schedule);

  /// Outputs that stand in the code.
  int written() const;
};

/// Words of a channel in "params": what its sums start from, multiplier, factor.
inline constexpr int kSlidingParamBytes = 12;

/// The function that computes the layer from "input", "weights" ([channel][kernel row][kernel
/// column]), "params" and "output", as LLVM assembly.
std::string sliding_code(const Workload& workload, const SlidingPlan& plan,
                         const std::string& symbol);

}  // namespace tinytune
