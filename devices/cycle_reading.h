// How a program on a device reads its core's cycle counter, without a runner or a debugger.
//
// The answer comes from [board] and [[counter]]; a Cortex-M without [board] has the counter that
// its architecture defines.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "devices/board_facts.h"
#include "tinytune/result.h"

namespace tinytune {

struct CycleReading {
  CycleCounter counter = CycleCounter::kRunner;      ///< kRunner: the program must read its own
  uint32_t csr = 0;                                  ///< kCsr
  uint32_t inhibit_csr = 0, inhibit_bit = 0;         ///< kCsr: the bit that stops it; 0: none
  std::vector<std::pair<uint32_t, uint32_t>> setup;  ///< kCsr: registers to write first, values
};

/// Loads the counter of a known device or a device file. Errors are those of load_device().
Result<CycleReading> load_cycle_reading(std::string_view name_or_path);

}  // namespace tinytune
