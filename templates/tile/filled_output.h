// Fills a kernel's output with the low limit of its ReLU in advance, so that the kernel stores only
// outputs above the limit.
#pragma once

#include <cstdint>

#include "schedules/workload.h"
#include "templates/lane_shifts.h"
#include "templates/tile/ir_text.h"

namespace tinytune {

/// Returns whether the low limit clamps all negative results and rows of outputs are whole words.
inline bool may_fill_output(const Workload& w) {
  return clamps_negatives(w) && w.out_w * w.out_c % 4 == 0;
}

inline void fill_output(const Workload& w, IrText& ir) {
  ir.fill_fast(argument("output"), w.output_bytes() / 4,
               0x01010101u * static_cast<uint8_t>(w.activation_min));
}

}  // namespace tinytune
