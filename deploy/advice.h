// Footprint of an untuned network on a device, and the missing memory if it does not fit.
//
// The figures are those of run_model() under the same limits, so that a choice of chip is based on
// the network that is later compiled. If run_model() refuses the network, the network of the least
// RAM is built for the same device with more memory; its excess over the limits is what is missing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tinytune/footprint.h"
#include "tinytune/memory.h"
#include "tinytune/model.h"

namespace tinytune {

struct Advice {
  bool fits = false;  ///< the device and the limits
  /// Footprint as of run_model(). If it does not fit: of the smallest network, without cycles;
  /// absent if none can be built.
  std::optional<Footprint> takes;
  uint64_t ram_limit = 0, flash_limit = 0;      ///< bytes of the device, or as limited
  uint64_t missing_ram = 0, missing_flash = 0;  ///< bytes; both 0 if it fits
  std::string refusal;                          ///< message of run_model(); empty if it fits
};

/// Checks whether a network fits a device. `limits` are those of the application: RAM, flash, and
/// whether anything may be copied to fast memory. Errors as for load_device().
Result<Advice> advise(const Model& model, const std::string& device, const MemoryLimits& limits);

}  // namespace tinytune
