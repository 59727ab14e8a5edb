// What kernels with Helium ask of a layer's shifts (helium.h says how halves are rounded).
#pragma once

#include <cstdlib>

#include "schedules/layer_data.h"
#include "schedules/requantise.h"
#include "schedules/workload.h"

namespace tinytune {

/// Results below the zero point are all clamped: how their halves are rounded does not show.
inline bool clamps_negatives(const Workload& w) { return w.activation_min >= w.output_zero_point; }

/// Whether all channels shift to the right: by something, where halves below zero matter.
inline bool shifts_right_only(const Workload& w, const LayerData& data) {
  const int least = clamps_negatives(w) ? 0 : 1;
  for (int c = 0; c < w.out_c; ++c)
    if (right_shift(data, c) < least) return false;
  return true;
}

/// Whether words can be shifted by as much as channels ask.
inline bool shifts_are_words(const Workload& w, const LayerData& data) {
  for (int c = 0; c < w.out_c; ++c)
    if (std::abs(right_shift(data, c)) > 31) return false;
  return true;
}

}  // namespace tinytune
