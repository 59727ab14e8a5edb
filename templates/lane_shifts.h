// Conditions on a layer's shifts in vector kernels whose lanes are channels and whose
// requantisation follows the reference step by step.
//
// The shifts must be shorter than a word. The knob `shifts` chooses whether the kernel can also
// shift left; "right" saves that instruction, but no channel may need it.
#pragma once

#include <functional>

#include "schedules/config_space.h"
#include "schedules/layer_data.h"
#include "schedules/requantise.h"
#include "schedules/schedule.h"
#include "schedules/workload.h"
#include "templates/usual_knobs.h"
#include "tinytune/result.h"

namespace tinytune {

/// Returns whether the activation clamps all results below the zero point, so that the rounding of
/// negative halves has no effect.
inline bool clamps_negatives(const Workload& w) { return w.activation_min >= w.output_zero_point; }

/// "right", or "both" directions; each channel has its own shifts.
inline UsualKnob shifts_knob(const Workload& w) {
  const bool left =
      w.facts.requantise == Requantise::kLong || w.facts.requantise == Requantise::kShifted;
  return {{"shifts", {"right", "both"}}, left ? "both" : "right"};
}
inline bool shifts_left(const Schedule& s) { return s.get("shifts") == "both"; }
/// Excludes "both" where every channel shifts right: it would be slower and otherwise equal.
inline bool shifts_are_legal(const Workload& w, bool left) {
  return !(left && w.facts.requantise == Requantise::kShort);
}

/// Returns whether these constants can be packed: all channels shift by less than a word. Without
/// `left` they must shift right, by at least 1 unless negative results are clamped.
inline bool may_shift(const Workload& w, const LayerData& data, bool left) {
  const int least = left ? -31 : clamps_negatives(w) ? 0 : 1;
  for (int c = 0; c < w.out_c; ++c) {
    const int shift = right_shift(data, c);
    if (shift < least || shift > 31) return false;
  }
  return true;
}
inline Status check_shifts(const Workload& w, const LayerData& data, bool left) {
  if (may_shift(w, data, left)) return ok_status();
  return Error(ErrorCode::kUnsupported, "channels shift to the left, or by more than a word");
}
/// The `may_pack` of kernels with the knob `shifts`.
inline std::function<bool(const Schedule&)> may_shift_as_asked(const Workload& w,
                                                               const LayerData& data) {
  return [right = may_shift(w, data, false), both = may_shift(w, data, true)](const Schedule& s) {
    return shifts_left(s) ? both : right;
  };
}

}  // namespace tinytune
