// What can be proved of a layer from its own weights, summarised for the Workload.
#pragma once

#include "schedules/layer_data.h"
#include "schedules/workload.h"

namespace tinytune {

/// `workload.facts` is ignored. Groups run in reduction order (kernel row, kernel column, input
/// channel; depthwise: row, column); the lane group is at most 64.
WeightFacts prove_facts(const Workload& workload, const LayerData& data);

}  // namespace tinytune
