// A count of cycles below which no result of a layer can be true, whatever the kernel.
//
// It follows from the products of a layer and from how many of them the core can make in a cycle,
// both taken generously: a counter that stands still, or a record that somebody wrote by hand, is
// far below.
#pragma once

#include <cstdint>

#include "devices/device.h"
#include "schedules/workload.h"

namespace tinytune {

/// At least 1, which is all that is known of a core that only its compiler knows, and where
/// templates of another program may drive a unit beside the core.
uint64_t least_cycles(const Workload& workload, const Device& device);

}  // namespace tinytune
