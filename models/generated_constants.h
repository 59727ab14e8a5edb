// Constants for a workload whose own are not at hand.
//
// A kernel's code depends on constants only through the workload's facts, so whoever has no weights
// yet (a compiler that tunes before it quantises) can tune with others that permit the same
// kernels.
#pragma once

#include <cstdint>

#include "schedules/layer_data.h"
#include "schedules/workload.h"
#include "tinytune/result.h"

namespace tinytune {

/// Bell-shaped weights, small biases, and scales that spread the sums over int8, by channel: the
/// same for the same shape and seed on every machine. `workload.facts` is ignored.
LayerData generate_constants(const Workload& workload, uint64_t seed);

/// The same, tamed until `workload.facts` hold of them. kUnsupported: none were found, as with
/// `fused` where nothing clamps at the zero point.
Result<LayerData> generate_constants_with_facts(const Workload& workload, uint64_t seed);

}  // namespace tinytune
