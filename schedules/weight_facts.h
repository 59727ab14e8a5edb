// Proves the facts about a layer's constants that the Workload summarises.
#pragma once

#include <cstdint>
#include <span>

#include "schedules/layer_data.h"
#include "schedules/workload.h"

namespace tinytune {

/// Returns whether the sum of products of these weights with any int8 inputs fits a signed 16-bit
/// lane.
bool fits_lane(std::span<const int8_t> weights);

/// Proves the strongest facts; ignores `workload.facts`. Only TFLite's rounding has a long form:
/// for others kLong means that no form is proved, and no kernel may be made. Groups are in
/// reduction order (kernel row, kernel column, input channel; depthwise: row, column); the lane
/// group is at most 64.
WeightFacts prove_facts(const Workload& workload, const LayerData& data);

/// Returns whether `workload.facts` hold for these constants: every kernel that is legal for the
/// workload then computes exactly with them.
bool facts_hold(const Workload& workload, const LayerData& data);

}  // namespace tinytune
