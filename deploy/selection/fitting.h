// Generates a network within limits on its memory, with the fastest kernels that fit.
#pragma once

#include <functional>
#include <vector>

#include "codegen/networks/network.h"
#include "deploy/selection/kernel_choice.h"
#include "deploy/selection/kernel_options.h"
#include "devices/device.h"
#include "models/integer_network.h"
#include "records/records.h"
#include "tinytune/result.h"

namespace tinytune {

/// Returns the network with its parts placed in memories, as it is deployed.
using PlaceParts = std::function<Result<GeneratedNetwork>(const GeneratedNetwork&)>;

/// Generates a network within `limits` and arena_limit(). Chooses among recorded schedules, the
/// default and, if that has too much scratch, its nearest neighbour with less. Flash is checked on
/// the linked library, after `place_parts` if given, because copies add alignment and far calls;
/// without a compiler, on the estimate used for the choice. With a limit on copies, `waits` is the
/// cost of constants beyond it. Errors as for generate_network(); kFailed: nothing fits; the
/// message names the smallest achievable.
Result<GeneratedNetwork> generate_within(const IntegerNetwork& executed, const Device& device,
                                         const Records& records, const KernelLimits& limits,
                                         const NetworkOptions& options,
                                         const FlashWaits& waits = {},
                                         const PlaceParts& place_parts = {});

/// Returns whether the network's code and constants may overflow the region of its constants, by a
/// conservative estimate. If not, nothing needs to be built to know that it fits.
bool may_overflow(const GeneratedNetwork& network, const Device& device);

/// Generates the network of the least flash within the limits on the arena. Errors as for
/// generate_within().
Result<GeneratedNetwork> generate_smallest(const IntegerNetwork& executed, const Device& device,
                                           const Records& records, const KernelLimits& limits,
                                           const NetworkOptions& options);

/// Returns the arena that generate_within() gives its network without a limit on flash; packs
/// weights but builds nothing. Errors as there.
Result<uint64_t> arena_within(const IntegerNetwork& executed, const Device& device,
                              const Records& records, const KernelLimits& limits,
                              const NetworkOptions& options);

/// Pareto front of flash and cycles of the kernels alone, from their records.
struct MeasuredFront {
  std::vector<FlashPoint> points;  ///< Pareto front, the smallest flash first
  FlashPoint chosen;               ///< the kernels of `network`
};

/// Returns the front of measured kernels, for comparison with those of `network`; within the arena
/// of `network` if the arena has no limit. No points if a workload has no record. Errors as for
/// generate_network().
Result<MeasuredFront> measured_front(const IntegerNetwork& executed, const Device& device,
                                     const Records& records, const KernelLimits& limits,
                                     const NetworkOptions& options,
                                     const GeneratedNetwork& network);

}  // namespace tinytune
