// Restricts search spaces to schedules that a network within a memory limit can use.
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

/// Removes from every task the schedules that do not fit into the arena with the layer's live
/// tensors, and removes their measurements from the records. If a task's default is removed, its
/// new default is the schedule of an untuned network: the nearest one of the same template, else
/// the next template's default. Requires `arena.bytes`. kFailed: a task has no schedule left.
Status filter_by_arena(const NetworkMemory& memory, const Device& device,
                       const ArenaAllowance& arena, std::vector<TuningTask>& tasks,
                       Records& records);

}  // namespace tinytune
