// How much memory a device has, and what of it a firmware needs beside a network.
#pragma once

#include <cstdint>

#include "devices/device.h"
#include "tinytune/footprint.h"

namespace tinytune {

/// An application as a board's template starts one: 8 KiB of data, 2 KiB of stack and heap.
inline constexpr uint64_t kSmallApplicationBytes = (8 + 2) * 1024;

/// All RAM: where data, the stack and copies from flash live.
uint64_t ram_of(const Device& device);

/// What a network takes of the memory that its arena is in. The stack has one of its own.
uint64_t in_data_memory(const Footprint& takes, const Device& device);

/// The device with another size of the memory that arenas are in, at another address where it would
/// reach into the next one and there is room elsewhere.
Device with_data_memory(Device device, uint64_t bytes);

/// Where code and constants live.
uint64_t flash_of(const Device& device);

}  // namespace tinytune
