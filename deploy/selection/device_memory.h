// Memory sizes of a device, and the memory that a firmware needs beside a network.
#pragma once

#include <cstdint>

#include "devices/device.h"
#include "tinytune/footprint.h"

namespace tinytune {

/// RAM of an application from a board's template: 8 KiB of data, 2 KiB of stack and heap.
inline constexpr uint64_t kSmallApplicationBytes = (8 + 2) * 1024;

/// Returns the bytes of all RAM: the memories of data, the stack and copies from flash.
uint64_t ram_of(const Device& device);

/// Returns the network's bytes in the memory that holds its arena, without the stack.
uint64_t in_data_memory(const Footprint& takes, const Device& device);

/// Returns the device with another size of its data memory, which is moved if it would overlap
/// another memory and there is room elsewhere.
Device with_data_memory(Device device, uint64_t bytes);

/// Returns the bytes of the memories of code and constants.
uint64_t flash_of(const Device& device);

}  // namespace tinytune
