// The figures of a device file that say how long things take, one by one: what a fit may change.
//
// A memory's fill_cycles and next_fill_cycles, and each key of [timing.cycles]. Their names are
// those of the file: "flash_code.fill_cycles", "timing.load_use".
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
  std::string memory;  ///< its [[memory]]; empty: of [timing.cycles]
  std::string key;

  bool operator==(const Cost&) const = default;
};

std::string name_of(const Cost& cost);

/// All that `device` has, memories first.
std::vector<Cost> costs_of(const Device& device);

/// Those that nobody has measured: waits of memories, which depend on the board around the chip,
/// and keys of the core whose source says that they have none.
std::vector<Cost> uncertain_costs(const Device& device);

/// In cycles. The cost is one of costs_of(device).
uint32_t value_of(const Device& device, const Cost& cost);

/// Within what a device file may say; a memory's first fill takes its next ones along, which cannot
/// take longer. Where the two were the same they stay so.
void set_value(Device& device, const Cost& cost, uint32_t cycles);

/// The text of a device file that is `name_or_path` but for its name and those figures, taken from
/// `changed`; `source` says of each where it comes from. Errors are those of load_device().
Result<std::string> device_file_with(std::string_view name_or_path, const std::string& name,
                                     const Device& changed, std::span<const Cost> costs,
                                     const std::string& source);

}  // namespace tinytune
