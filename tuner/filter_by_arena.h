// Spaces cut to what a network within a memory limit can use.
#pragma once

#include <cstdint>
#include <vector>

#include "codegen/networks/network_memory.h"
#include "deploy/selection/arena_limit.h"
#include "devices/device.h"
#include "records/records.h"
#include "tinytune/result.h"
#include "tuner/tuning_task.h"

namespace tinytune {

/// Drops from every task the schedules that no network within the arena can use, and from the
/// records those of them that were measured; a task whose default goes starts as an untuned network
/// runs it: from the nearest of its template, or the next template's default. The arena has its
/// bytes. kFailed: nothing is left of a task.
Status filter_by_arena(const NetworkMemory& memory, const Device& device,
                       const ArenaAllowance& arena, std::vector<TuningTask>& tasks,
                       Records& records);

}  // namespace tinytune
