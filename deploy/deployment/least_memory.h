// The least memory that a network can do with, for those that do not fit as they were first made.
//
// The arena is arithmetic (strip_plan/fallback.h). What lies beside it, data and stack, shows when
// a network is built and run, and hardly depends on the arena. So the smallest network is found by
// its arena, built once, and a few of somewhat larger arenas are built for less stack. Who allows
// less than that is refused before anything else is tried, so that the figure which is named is the
// smallest that works.
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

/// More than any device has: what a network takes shows where nothing limits it.
inline constexpr uint64_t kMuchRam = 1u << 30;

/// How it runs within the limits and the device, and the arena that those leave.
struct ArenaPlan {
  StripPlan strips;
  uint64_t arena_bytes = 0;
};
/// `options` say nothing of strips. Arithmetic; where what lies beside the arena counts, also a
/// network built and run. kFailed: it does not fit; with the smallest limit that is achievable.
Result<ArenaPlan> plan_arena(const Deployment& deployment, const NetworkOptions& options);

/// The network of the least RAM, layer by layer or in strips; or the refusal that names what it
/// takes. Nothing where its arena is within the limits and something else than memory is wrong.
/// `fallback` is for a device of kMuchRam.
std::optional<Result<Candidate>> smallest_within(const Deployment& deployment,
                                                 const StripFallback& fallback,
                                                 const NetworkOptions& options);

/// What the network of the least RAM takes, layer by layer or in strips, and the bytes of RAM
/// that the device or the limits lack for it.
struct LeastNeed {
  Footprint takes;  ///< where it cannot be built, its arena alone
  uint64_t missing_ram = 0;
};
/// Flash has to be enough. kFailed: no arena is enough.
Result<LeastNeed> least_need(const Deployment& deployment, const NetworkOptions& options);

/// What the network of the least flash takes, layer by layer, with nothing copied to RAM. The
/// device's flash has to be enough. kFailed: it does not fit the RAM.
Result<Footprint> least_flash(const Deployment& deployment, const NetworkOptions& options);

}  // namespace tinytune
