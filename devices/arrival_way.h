// How constants may come out of flash while the core computes: the [[arrival]] tables of a device
// file.
//
// Apart from Device, because kernels never meet them: no measurement depends on them, and no hash.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tinytune/result.h"

namespace tinytune {

struct ArrivalWay {
  std::string name;
  /// The unit: generated libraries have a driver for it, and the simulator a model of it.
  std::string engine;
  uint32_t piece_bytes = 0, piece_cycles = 0;  ///< how fast: so many bytes in so many cycles
  uint32_t start_cycles = 0;                   ///< before the first piece, beside the driver's code
  uint32_t pause_cycles = 0;                   ///< that it stands still behind a miss of the core
  std::string cache;                           ///< whose misses take turns with it
  /// Nobody may read flash or run code from it until the driver gives it back: all that runs
  /// meanwhile, interrupts' handlers included, is in RAM.
  bool locks_flash = false;
  std::string source;
};

/// Of a known device or a device file. Errors are those of load_device().
Result<std::vector<ArrivalWay>> load_arrival_ways(std::string_view name_or_path);

}  // namespace tinytune
