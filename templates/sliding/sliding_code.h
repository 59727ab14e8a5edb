// The code of sliding_depthwise.cc: a channel's weights in registers, and a window that slides
// along one axis of the image after the other of its lines.
#pragma once

#include <string>

#include "schedules/schedule.h"
#include "schedules/workload.h"
#include "templates/sliding/window_walk.h"

namespace tinytune {

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
