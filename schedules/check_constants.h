// Whether constants from outside belong to a workload.
#pragma once

#include "schedules/layer_data.h"
#include "schedules/workload.h"
#include "tinytune/result.h"

namespace tinytune {

/// Sizes as the workload has them, multipliers and shifts that the reference takes. kInvalidInput
/// says in one line what is wrong. The workload has passed validate().
Status check_constants(const Workload& workload, const LayerData& data);

}  // namespace tinytune
