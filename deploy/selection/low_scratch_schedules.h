// How much scratch kernels need, and schedules that need less.
#pragma once

#include <cstdint>
#include <vector>

#include "schedules/config_space.h"
#include "schedules/schedule.h"
#include "schedules/workload.h"

namespace tinytune {

/// Scratch of any schedule of this build's templates.
uint32_t scratch_bytes_of(const Workload& workload, const Schedule& schedule);

/// Of the leanest point of `space`; 0 where it has none.
uint32_t least_scratch_in(const ConfigSpace& space, const Workload& workload);

/// Points of `space` with at most `scratch` bytes, those that differ least from `schedule` first;
/// where there are none, the points with the least scratch. Of points that differ as much, those
/// that use most of the scratch come first.
std::vector<Schedule> nearest_within(const ConfigSpace& space, const Workload& workload,
                                     const Schedule& schedule, uint64_t scratch);

}  // namespace tinytune
