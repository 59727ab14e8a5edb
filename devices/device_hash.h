// Hash of all properties of a device that can change a measurement; logs store it.
#pragma once

#include <cstdint>

#include "devices/device.h"

namespace tinytune::internal {

/// Returns the hash of `device`. It must never change for a device that has logs, because their
/// records are valid only for the same hash.
uint64_t hash_of(const Device& device);

}  // namespace tinytune::internal
