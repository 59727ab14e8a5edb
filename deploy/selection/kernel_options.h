// Collects the kernels among which the layers of a network choose.
//
// Measured schedules come first, in order of their cycles. Unmeasured ones are for when nothing
// measured fits: default schedules, and the nearest to them with little scratch.
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

/// Cycles that layers wait per byte of constants in flash, measured by a run; by their index in the
/// model. Other kernels of a layer are assumed to fetch each byte equally often.
using FlashWaits = std::map<int, double>;

/// Whether options without a record are offered too; their size is known only by building them.
enum class Unmeasured { kOffered, kLeftOut };

/// Returns the options of each group, without those that another option dominates in cycles and in
/// every memory that `limits` limits. May be empty if unmeasured ones are left out. Errors: those
/// of compiling a kernel; kUnsupported: no template takes a workload.
Result<std::vector<TaskOptions>> kernel_options(const NetworkMemory& memory,
                                                const std::vector<LayerGroup>& groups,
                                                const Device& device, BuildCache& builds,
                                                const Records& records, const KernelLimits& limits,
                                                const FlashWaits& waits,
                                                Unmeasured unmeasured = Unmeasured::kOffered);

}  // namespace tinytune
