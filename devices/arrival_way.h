// Ways to copy constants out of flash while the core computes: the [[arrival]] tables of a device
// file.
//
// Separate from Device, because kernels do not use them: neither measurements nor the hash depend
// on them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tinytune/result.h"

namespace tinytune {

struct ArrivalWay {
  std::string name;
  /// The unit. Generated libraries have a driver for it, and the simulator a model of it.
  std::string engine;
  uint32_t piece_bytes = 0, piece_cycles = 0;  ///< its rate: bytes per piece, cycles per piece
  uint32_t start_cycles = 0;                   ///< before the first piece, driver code aside
  uint32_t pause_cycles = 0;                   ///< for which it stops after a miss of the core
  std::string cache;                           ///< whose misses share the flash port with it
  /// Flash can be neither read nor executed until the driver releases it: all code that runs in the
  /// meantime, interrupt handlers included, must be in RAM.
  bool locks_flash = false;
  std::string source;
};

/// Loads the ways of a known device or a device file. Errors are those of load_device().
Result<std::vector<ArrivalWay>> load_arrival_ways(std::string_view name_or_path);

}  // namespace tinytune
