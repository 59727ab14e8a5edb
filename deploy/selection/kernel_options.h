// What the layers of a network may be computed with: the kernels that a choice has to choose from.
//
// Measured schedules come first, in order of their cycles. Those that were never measured are for
// when nothing measured fits: default schedules, and the nearest to them with little scratch.
#pragma once

#include <map>
#include <vector>

#include "codegen/kernels/build_cache.h"
#include "codegen/networks/network_memory.h"
#include "deploy/selection/kernel_choice.h"
#include "deploy/selection/layer_groups.h"
#include "devices/device.h"
#include "records/records.h"
#include "tinytune/result.h"

namespace tinytune {

/// How long layers wait for a byte of constants in flash, by their index in the model, as a run of
/// them told. Other kernels of a layer are taken to fetch each byte as often.
using FlashWaits = std::map<int, double>;

/// Whether options without a record are offered too; to know their size they have to be built.
enum class Unmeasured { kOffered, kLeftOut };

/// One entry a group: its options, without those that another beats in cycles and in every memory
/// that `limits` limits; without unmeasured ones there may be none. Errors of compiling a kernel;
/// kUnsupported: no template takes a workload.
Result<std::vector<TaskOptions>> kernel_options(const NetworkMemory& memory,
                                                const std::vector<LayerGroup>& groups,
                                                const Device& device, BuildCache& builds,
                                                const Records& records, const KernelLimits& limits,
                                                const FlashWaits& waits,
                                                Unmeasured unmeasured = Unmeasured::kOffered);

}  // namespace tinytune
