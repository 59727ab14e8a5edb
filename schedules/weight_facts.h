// What can be proved of a layer from its own weights, summarised for the Workload.
#pragma once

#include <cstdint>
#include <span>

#include "schedules/layer_data.h"
#include "schedules/workload.h"

namespace tinytune {

/// Whether the products of these weights with any int8 inputs keep within a 16-bit lane, that is
/// within what it may reach on either side of its middle.
bool fits_lane(std::span<const int8_t> weights);

/// `workload.facts` is ignored. Other roundings than TFLite's have no long form: kLong then says
/// that no form is proved, and no kernel may be made. Groups run in reduction order (kernel row,
/// kernel column, input channel; depthwise: row, column); the lane group is at most 64.
WeightFacts prove_facts(const Workload& workload, const LayerData& data);

/// Whether these constants are as tame as `workload.facts` say, or tamer: every kernel that is
/// legal for the workload then computes with them exactly.
bool facts_hold(const Workload& workload, const LayerData& data);

}  // namespace tinytune
