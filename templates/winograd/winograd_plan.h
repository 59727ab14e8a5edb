// What follows from a Winograd schedule: sizes of strips and blocks, scratch, and which points are
// legal. winograd_nhwc.cc says what they mean.
#pragma once

#include <cstdint>

#include "devices/device.h"
#include "schedules/config_space.h"
#include "schedules/workload.h"
#include "templates/winograd/winograd_products.h"

namespace tinytune {

struct WinogradPlan : WinogradProducts {
  int64_t input_bytes, shared_bytes;  // scratch, in this order; then a pixel of the border

  WinogradPlan(const Workload& workload, const Schedule& schedule);

  /// Channels of term t: SXTB16 takes bytes 0 and 2 of a word, then (rotated) 1 and 3.
  bool by_words(const Workload& w) const { return smlad && w.in_c % 4 == 0; }
  int64_t channel(const Workload& w, int64_t t, int half) const {
    if (!smlad) return t;
    return by_words(w) ? t / 2 * 4 + t % 2 + 2 * half : 2 * t + half;
  }
};

bool winograd_supports(const Workload& workload, const Device& device);
ConfigSpace winograd_space(const Workload& workload, const Device& device);
Schedule winograd_default(const Workload& workload, const Device& device);

}  // namespace tinytune
