// What follows from a schedule of winograd4_nhwc.cc: sizes, scratch, and which points are legal.
#pragma once

#include <cstdint>

#include "devices/device.h"
#include "schedules/config_space.h"
#include "schedules/workload.h"
#include "templates/smlad/smlad_points.h"
#include "templates/winograd/winograd_products.h"

namespace tinytune {

struct Winograd4Plan : WinogradProducts {
  int rows;  // of squares that are computed together; 0: a strip
  LoadOrder loads;
  int together;         // strips
  int64_t strip_bytes;  // of transformed inputs
  // Scratch, in this order; then a pixel of the border. The sums take the place of the patch.
  int64_t transformed_bytes, shared_bytes, column_bytes;

  Winograd4Plan(const Workload& workload, const Schedule& schedule);

  /// Terms that are transformed together: words of four channels give two.
  int parts() const { return smlad ? 2 : 1; }
  int channels_together() const { return smlad ? 4 : 1; }
  /// SXTB16 and UXTB16 take bytes 0 and 2 of a word, then (rotated) 1 and 3.
  int64_t channel(int64_t term, int half) const {
    return smlad ? term / 2 * 4 + term % 2 + 2 * half : term;
  }
  /// What multiplies by SMLAD.
  SmladPoints smlad_points() const;
  /// Of a block of output channels.
  int64_t weight_bytes() const;
};

bool winograd4_supports(const Workload& workload, const Device& device);
ConfigSpace winograd4_space(const Workload& workload, const Device& device);
Schedule winograd4_default(const Workload& workload, const Device& device);

}  // namespace tinytune
