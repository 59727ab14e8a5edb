// Validates constants supplied by a caller against a workload.
#pragma once

#include "schedules/layer_data.h"
#include "schedules/workload.h"
#include "tinytune/result.h"

namespace tinytune {

/// Checks the sizes, and that the reference accepts the multipliers and shifts. kInvalidInput says
/// in one line what is wrong. The workload must have passed validate().
Status check_constants(const Workload& workload, const LayerData& data);

}  // namespace tinytune
