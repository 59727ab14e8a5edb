// What of a device can change a measurement, as one number; logs name it.
#pragma once

#include <cstdint>

#include "devices/device.h"

namespace tinytune::internal {

/// Never to change for a device that has logs: their records count only for the same hash.
uint64_t hash_of(const Device& device);

}  // namespace tinytune::internal
