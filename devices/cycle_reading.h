// How a program on a device reads the cycles that its core has run, without a runner or a debugger.
//
// What [board] and [[counter]] say, and for Cortex-M cores what their architecture says where a
// file has neither.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "devices/board_facts.h"
#include "tinytune/result.h"

namespace tinytune {

struct CycleReading {
  CycleCounter counter = CycleCounter::kRunner;      ///< kRunner: only the program's author knows
  uint32_t csr = 0;                                  ///< kCsr
  uint32_t inhibit_csr = 0, inhibit_bit = 0;         ///< kCsr: the bit that stops it; 0: none
  std::vector<std::pair<uint32_t, uint32_t>> setup;  ///< kCsr: registers to write first, values
};

/// Of a known device or a device file. Errors are those of load_device().
Result<CycleReading> load_cycle_reading(std::string_view name_or_path);

}  // namespace tinytune
