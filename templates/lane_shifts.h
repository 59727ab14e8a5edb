// What the requantisation of vectors asks of shifts, where a lane is a channel and its steps are
// the reference's own.
//
// It asks nothing of a layer's constants but that shifts are those of words and, where that saves
// the shift to the left, that no channel needs one. The knob `shifts` says which of the two.
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

/// Results below the zero point are all clamped: how their halves are rounded does not show.
inline bool clamps_negatives(const Workload& w) { return w.activation_min >= w.output_zero_point; }

/// "right", or "both" directions, each channel its own.
inline UsualKnob shifts_knob(const Workload& w) {
  const bool left =
      w.facts.requantise == Requantise::kLong || w.facts.requantise == Requantise::kShifted;
  return {{"shifts", {"right", "both"}}, left ? "both" : "right"};
}
inline bool shifts_left(const Schedule& s) { return s.get("shifts") == "both"; }
/// Where all shift right by something, the other form is that one's slower twin.
inline bool shifts_are_legal(const Workload& w, bool left) {
  return !(left && w.facts.requantise == Requantise::kShort);
}

/// Whether these constants can be packed: all channels shift by less than a word and, if they may
/// not go left, to the right, by something where halves below zero matter.
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
/// The `may_pack` of kernels with the knob.
inline std::function<bool(const Schedule&)> may_shift_as_asked(const Workload& w,
                                                               const LayerData& data) {
  return [right = may_shift(w, data, false), both = may_shift(w, data, true)](const Schedule& s) {
    return shifts_left(s) ? both : right;
  };
}

}  // namespace tinytune
