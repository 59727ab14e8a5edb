// Finds the least memory in which a network works, if its first version does not fit.
//
// The arena is computed without building (strip_plan/fallback.h). Data and stack beside it are
// known only when a network is built and run, and hardly depend on the arena. So the smallest
// network is found by its arena and built once; a few with somewhat larger arenas are built in
// search of less stack. Smaller limits are refused before anything else is tried, so that the limit
// named in the message is the smallest that works.
#pragma once

#include <cstdint>
#include <optional>

#include "codegen/networks/network.h"
#include "deploy/deployment/deployment.h"
#include "deploy/deployment/trial.h"
#include "deploy/strip_plan/fallback.h"
#include "deploy/strip_plan/orders.h"
#include "tinytune/footprint.h"
#include "tinytune/result.h"

namespace tinytune {

/// More RAM than any device has, for finding the unlimited need of a network.
inline constexpr uint64_t kMuchRam = 1u << 30;

/// The strips of a network within the limits and the device, and the arena that these leave.
struct ArenaPlan {
  StripPlan strips;
  uint64_t arena_bytes = 0;
};
/// Plans the strips; `options` must have none. Builds and runs a network only if data and stack
/// beside the arena matter. kFailed: it does not fit; the message names the smallest achievable
/// limit.
Result<ArenaPlan> plan_arena(const Deployment& deployment, const NetworkOptions& options);

/// Returns the network of the least RAM, layer by layer or in strips, or the refusal that names its
/// need. Nothing if its arena is within the limits and it fails for another reason than memory.
/// `fallback` must be for a device with kMuchRam.
std::optional<Result<Candidate>> smallest_within(const Deployment& deployment,
                                                 const StripFallback& fallback,
                                                 const NetworkOptions& options);

/// Footprint of the network of the least RAM, layer by layer or in strips, and the bytes of RAM
/// that the device or the limits lack for it.
struct LeastNeed {
  Footprint takes;  ///< only the arena if the network cannot be built
  uint64_t missing_ram = 0;
};
/// Returns the least need; the device's flash must be sufficient. kFailed: no arena is sufficient.
Result<LeastNeed> least_need(const Deployment& deployment, const NetworkOptions& options);

/// Returns the footprint of the network of the least flash, layer by layer, with nothing copied to
/// RAM. The device's flash must be sufficient. kFailed: it does not fit the RAM.
Result<Footprint> least_flash(const Deployment& deployment, const NetworkOptions& options);

}  // namespace tinytune
