// A network generated within limits on its memory.
#pragma once

#include <cstdint>
#include <optional>
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

/// The limit that a network's arena gets, bytes. Where nobody names one it is the lower bound + 5
/// %, or what the device has if that is less; where the leanest kernels need more, what those need.
/// `asked` replaces the first of these, up or down.
uint64_t ram_limit(const IntegerNetwork& network, const Device& device,
                   const NetworkOptions& options, std::optional<uint64_t> asked);

/// Within `limits` and ram_limit(). Chooses among recorded schedules, the default and, where that
/// has too much scratch, its nearest neighbour with less. Flash is checked on the linked library;
/// where no compiler is there to link it, on the estimate the choice was made by. Errors as
/// generate_network(); kFailed: cannot fit, with what could.
Result<GeneratedNetwork> generate_within(const IntegerNetwork& executed, const Device& device,
                                         const Records& records, const MemoryLimits& limits,
                                         const NetworkOptions& options);

/// Drops from every task the schedules that no network within `ram_bytes` can use, and from the
/// records those of them that were measured; a task whose default goes starts from the
/// next template's, or its nearest neighbour. kFailed: nothing is left of a task.
Status keep_fitting(const IntegerNetwork& network, const Device& device, uint64_t ram_bytes,
                    std::vector<TuningTask>& tasks, Records& records);

/// Points of `space` with at most `scratch` bytes, those that differ least from `schedule` first;
/// where there are none, the points with the least scratch.
std::vector<Schedule> nearest_within(const ConfigSpace& space, const Workload& workload,
                                     const Schedule& schedule, uint64_t scratch);

/// Scratch of any schedule of this build's templates.
uint32_t scratch_bytes_of(const Workload& workload, const Schedule& schedule);

}  // namespace tinytune
