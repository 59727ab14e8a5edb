// Access by name to the cycle counts of a device, which calibration may fit.
//
// These are fill_cycles and next_fill_cycles of memories, and the keys of [timing.cycles]. Names
// are those of the file: "flash_code.fill_cycles", "timing.load_use".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "devices/device.h"
#include "tinytune/result.h"

namespace tinytune {

struct Cost {
  std::string memory;  ///< name of its [[memory]]; empty: a key of [timing.cycles]
  std::string key;

  bool operator==(const Cost&) const = default;
};

std::string name_of(const Cost& cost);

/// Returns all costs of `device` that can be fitted, memories first.
std::vector<Cost> costs_of(const Device& device);

/// Returns the unmeasured costs: waits of memories, which depend on the board around the chip, and
/// keys of the core whose source is "unsourced".
std::vector<Cost> uncertain_costs(const Device& device);

/// Returns the cycles of `cost`, one of costs_of(device).
uint32_t value_of(const Device& device, const Cost& cost);

/// Sets a cost, clamped to the limits of device files. Lowering fill_cycles also lowers
/// next_fill_cycles, which cannot be larger; if the two were equal they stay equal.
void set_value(Device& device, const Cost& cost, uint32_t cycles);

/// Returns the text of a device file that equals `name_or_path` except for its name and `costs`,
/// which are taken from `changed` and cite `source`. Errors are those of load_device().
Result<std::string> device_file_with(std::string_view name_or_path, const std::string& name,
                                     const Device& changed, std::span<const Cost> costs,
                                     const std::string& source);

}  // namespace tinytune
