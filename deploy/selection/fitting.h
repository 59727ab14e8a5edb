// A network generated within limits on its memory: the fastest kernels that fit.
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

/// Returns a network as it is deployed: its parts placed.
using PlaceParts = std::function<Result<GeneratedNetwork>(const GeneratedNetwork&)>;

/// Within `limits` and arena_limit(). Chooses among recorded schedules, the default
/// and, where that has too much scratch, its nearest neighbour with less. Flash is checked on the
/// linked library, behind `place_parts` if there is one: copies add alignment and far calls; where
/// no compiler is there to link it, on the estimate the choice was made by. With a limit on copies,
/// `waits` says what constants beyond it cost. Errors as generate_network(); kFailed: cannot fit,
/// with what could.
Result<GeneratedNetwork> generate_within(const IntegerNetwork& executed, const Device& device,
                                         const Records& records, const KernelLimits& limits,
                                         const NetworkOptions& options,
                                         const FlashWaits& waits = {},
                                         const PlaceParts& place_parts = {});

/// Whether what a network's kernels take may leave no room in the region of its constants. Where it
/// cannot, nothing has to be built to know that it fits.
bool may_overflow(const GeneratedNetwork& network, const Device& device);

/// The network of the least flash within the limits on the arena. Errors as generate_within().
Result<GeneratedNetwork> generate_smallest(const IntegerNetwork& executed, const Device& device,
                                           const Records& records, const KernelLimits& limits,
                                           const NetworkOptions& options);

/// The arena that generate_within() gives its network where flash is not limited: packs weights and
/// builds nothing. Errors as there.
Result<uint64_t> arena_within(const IntegerNetwork& executed, const Device& device,
                              const Records& records, const KernelLimits& limits,
                              const NetworkOptions& options);

/// Flash and cycles of kernels alone, as their records have them.
struct MeasuredFront {
  std::vector<FlashPoint> points;  ///< that no other choice beats in both, the smallest first
  FlashPoint chosen;               ///< of `network`
};

/// What measured kernels allow beside those of `network`, in its arena where there is no limit on
/// that. No points where a workload has no record.
/// Errors as generate_network().
Result<MeasuredFront> measured_front(const IntegerNetwork& executed, const Device& device,
                                     const Records& records, const KernelLimits& limits,
                                     const NetworkOptions& options,
                                     const GeneratedNetwork& network);

}  // namespace tinytune
