// A lower bound of a layer's cycles for any kernel, which exposes wrong measurements.
//
// It is the number of products divided by an upper bound of the products that the core computes per
// cycle. The bound is loose; a cycle counter that does not run, or a record written by hand, falls
// far below it.
#pragma once

#include <cstdint>

#include "devices/device.h"
#include "schedules/workload.h"

namespace tinytune {

/// Returns the bound, at least 1. It is 1 for a core that only the C compiler knows, and if the
/// program adds templates of its own, which may drive an accelerator.
uint64_t least_cycles(const Workload& workload, const Device& device);

}  // namespace tinytune
