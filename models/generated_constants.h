// Generated constants for a workload whose own are not available.
//
// A kernel's code depends on constants only through the workload's facts, so a caller without
// weights (a compiler that tunes before it quantises) can tune with others that permit the same
// kernels.
#pragma once

#include <cstdint>

#include "schedules/layer_data.h"
#include "schedules/workload.h"
#include "tinytune/result.h"

namespace tinytune {

/// Generates bell-shaped weights, small biases, and scales per channel that spread the sums over
/// int8. Equal shapes and seeds give equal constants on every machine. Ignores `workload.facts`.
LayerData generate_constants(const Workload& workload, uint64_t seed);

/// The same, with weights and scales reduced until `workload.facts` hold. kUnsupported: no such
/// constants were found, e.g. for `fused` without a clamp at the zero point.
Result<LayerData> generate_constants_with_facts(const Workload& workload, uint64_t seed);

}  // namespace tinytune
