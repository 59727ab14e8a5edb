// What a network takes when it runs, and whether that fits.
#pragma once

#include <cstdint>

#include "codegen/networks/network.h"
#include "deploy/execution/candidate.h"
#include "tinytune/deploy.h"
#include "tinytune/footprint.h"
#include "tinytune/result.h"

namespace tinytune {

struct Deployment;

/// Builds it and runs it once on the generator's first inputs; where frames arrive, what it takes
/// is of the step after that. kNotFound: no compiler on this machine. kUnsupported: the device has
/// no simulator. kFailed: it does not build or run, or does not fit.
Result<RunReport> try_out(const Deployment& deployment, const GeneratedNetwork& network);

/// Fills `ran` unless it is known. Errors as try_out().
Status run_once(const Deployment& deployment, Candidate& candidate);

/// As far as excess() asks for it: with the stack where there is a limit on all RAM.
Result<Footprint> footprint_of(const Deployment& deployment, const GeneratedNetwork& network);

/// Bytes of RAM that the device or the limit on it lack.
uint64_t excess(const Deployment& deployment, const Footprint& takes);

/// Where excess() is more than 0: which memory lacks what.
Error exceeded(const Deployment& deployment, const Footprint& takes);

/// What the smallest limit that is enough would be: on all RAM where that is limited, otherwise on
/// the memory that the arena is in.
uint64_t limit_for(const Deployment& deployment, const Footprint& takes);

/// Whether an arena is so large that what lies beside it decides.
bool is_close(const Deployment& deployment, uint64_t arena_bytes);

/// More than what lies beside any arena that was seen.
inline constexpr uint64_t kBesideArena = 16 * 1024;

/// A library's own data is some words; the stack has a memory of its own.
inline constexpr uint64_t kDataBytes = 1024;

/// kFailed: the arena is larger than the memory it is in.
Status check_arena(const Deployment& deployment, const GeneratedNetwork& network);

/// Says what there is to say of RAM: that much of it is the network's, or that no application
/// fits beside it. kFailed: it takes more flash than there is.
Status check_footprint(const Deployment& deployment, const Footprint& takes);

}  // namespace tinytune
