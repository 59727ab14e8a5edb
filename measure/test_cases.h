// The test inputs that every candidate of a task must pass, with the exact outputs.
//
// Random bytes alone leave accumulators near zero, where a packed or narrowed sum cannot overflow.
// So there are extreme inputs as well: constant ones, and ones that follow the signs of the weights
// and so drive whole accumulators to their largest and smallest values.
#pragma once

#include <cstdint>

#include "measure/job.h"
#include "schedules/layer_data.h"
#include "schedules/workload.h"

namespace tinytune {

/// Makes a task with the cases, in this order: "random" (from `seed`; the timed one), "all_min",
/// "all_max", "zero_point", "saturating_high", "saturating_low". Expected bytes come from the
/// reference.
TaskData make_task_data(const Workload& workload, const LayerData& data, uint64_t seed);

/// Returns an input that drives output channels to their extremes: each window of the kernel's size
/// follows the signs of one channel's weights; neighbouring windows target different channels.
std::vector<uint8_t> saturating_input(const Workload& workload, const LayerData& data, bool high);

}  // namespace tinytune
