// What a network takes of a device, untuned, and how much is missing where it does not fit.
//
// The figures are those of run_model() under the same limits, so that a choice of chip rests on the
// network that is later compiled. Where that is refused, the network of the least RAM is built for
// the same device with more memory: what it takes beyond the limits is what is missing.
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
  /// As run_model() has it. Where it does not fit: of the least network, without cycles; absent
  /// where none can be built.
  std::optional<Footprint> takes;
  uint64_t ram_limit = 0, flash_limit = 0;      ///< bytes: the device's, or what is allowed of them
  uint64_t missing_ram = 0, missing_flash = 0;  ///< bytes; both 0 where it fits
  std::string refusal;                          ///< of run_model(); empty where it fits
};

/// `limits` are those of the application: RAM, flash, and whether anything may be copied to fast
/// memory. Errors as load_device().
Result<Advice> advise(const Model& model, const std::string& device, const MemoryLimits& limits);

}  // namespace tinytune
