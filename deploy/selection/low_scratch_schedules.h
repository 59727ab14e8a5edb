// Scratch bytes of kernels, and schedules that need less.
#pragma once

#include <cstdint>
#include <vector>

#include "schedules/config_space.h"
#include "schedules/schedule.h"
#include "schedules/workload.h"

namespace tinytune {

/// Returns the scratch bytes of a schedule, which must be of one of this build's templates.
uint32_t scratch_bytes_of(const Workload& workload, const Schedule& schedule);

/// Returns the scratch bytes of the leanest point of `space`; 0 if the space is empty.
uint32_t least_scratch_in(const ConfigSpace& space, const Workload& workload);

/// Returns points of `space` with at most `scratch` bytes, ordered by the number of differences
/// from `schedule`, then by the scratch that they leave unused. If there are none, the points with
/// the least scratch.
std::vector<Schedule> nearest_within(const ConfigSpace& space, const Workload& workload,
                                     const Schedule& schedule, uint64_t scratch);

}  // namespace tinytune
