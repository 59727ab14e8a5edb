// The regions of a linker script: a device's memories by their contents. Also explains overflows,
// from the messages of two linkers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "devices/device.h"

namespace tinytune {

struct LinkedRegion {
  std::string name;  ///< in the script
  MemoryRegion memory;
};

std::vector<LinkedRegion> linked_regions(const Device& device);

/// `name` for the first of several memories, `name_2`, … for the others.
std::string numbered(const char* name, size_t index);

/// The region that holds fast code, if there is any.
std::string region_of_fast_code(const Device& device);

/// The region that holds the weights for `fast_rodata_memories[i]`.
std::string region_of_weights(const Device& device, size_t i);

/// Returns one line: the bytes that each overflowing region needs and has, and what to do. Nothing
/// if `linker_says` reports no overflow. lld reports every section that crosses the end, so it must
/// not stop at its usual number of errors.
std::optional<std::string> overflow_text(const std::string& linker_says, const Device& device);

}  // namespace tinytune
