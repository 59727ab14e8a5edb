// A network generated within limits on its memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "codegen/network.h"
#include "devices/device.h"
#include "models/integer_network.h"
#include "records/records.h"
#include "schedules/config_space.h"
#include "tinytune/memory.h"
#include "tinytune/result.h"
#include "tuner/trajectory.h"

namespace tinytune {

/// Chooses among recorded schedules, the default and, where that has too much scratch, its nearest
/// neighbour with less. Flash is checked on the linked library; where no compiler is there to link
/// it, on the estimate the choice was made by. Errors as generate_network(); kFailed: cannot fit,
/// with what could.
Result<GeneratedNetwork> generate_within(const IntegerNetwork& executed, const Device& device,
                                         const Records& records, const MemoryLimits& limits,
                                         const NetworkOptions& options);

/// Drops from every task the schedules that no network within `ram_bytes` can use, and from the
/// records those of them that were measured; a task whose default goes starts from its nearest
/// neighbour. kFailed: nothing is left of a task.
Status keep_fitting(const IntegerNetwork& network, uint64_t ram_bytes,
                    std::vector<TuningTask>& tasks, Records& records);

/// The points of `space` with the least scratch, those that differ least from `schedule` first.
std::vector<Schedule> leanest(const ConfigSpace& space, const Workload& workload,
                              const Schedule& schedule);

/// Scratch of any schedule of this build's templates.
uint32_t scratch_bytes_of(const Workload& workload, const Schedule& schedule);

}  // namespace tinytune
