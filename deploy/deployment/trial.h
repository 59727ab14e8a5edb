// Runs a network to measure its footprint, and checks whether it fits.
#pragma once

#include <cstdint>

#include "codegen/networks/network.h"
#include "deploy/execution/candidate.h"
#include "tinytune/deploy.h"
#include "tinytune/footprint.h"
#include "tinytune/result.h"

namespace tinytune {

struct Deployment;

/// Builds the network and runs it once on the generator's first inputs; if frames arrive, the
/// report is of a second step. kNotFound: no compiler on this machine. kUnsupported: the device has
/// no simulator. kFailed: it does not build or run, or does not fit.
Result<RunReport> try_out(const Deployment& deployment, const GeneratedNetwork& network);

/// Runs the candidate and sets `ran`, unless it is set. Errors as for try_out().
Status run_once(const Deployment& deployment, Candidate& candidate);

/// Returns the footprint as needed by excess(): with the stack only if all RAM is limited.
Result<Footprint> footprint_of(const Deployment& deployment, const GeneratedNetwork& network);

/// Returns the bytes by which the footprint exceeds the device's data memory or the limit on RAM.
uint64_t excess(const Deployment& deployment, const Footprint& takes);

/// Returns the error for excess() > 0: names the memory, its size and the need.
Error exceeded(const Deployment& deployment, const Footprint& takes);

/// Returns the smallest sufficient limit: on all RAM if that is limited, otherwise on the memory
/// that holds the arena.
uint64_t limit_for(const Deployment& deployment, const Footprint& takes);

/// Returns whether an arena is so large that the data and stack beside it decide whether it fits.
bool is_close(const Deployment& deployment, uint64_t arena_bytes);

/// Bytes beside an arena: more than in any network seen.
inline constexpr uint64_t kBesideArena = 16 * 1024;

/// Upper bound of a library's own data, some words; the stack has its own memory.
inline constexpr uint64_t kDataBytes = 1024;

/// Checks that the arena fits its memory. kFailed: it does not.
Status check_arena(const Deployment& deployment, const GeneratedNetwork& network);

/// Reports if the network takes much of the RAM, or if no application fits beside it. kFailed: it
/// takes more flash than the device has.
Status check_footprint(const Deployment& deployment, const Footprint& takes);

}  // namespace tinytune
