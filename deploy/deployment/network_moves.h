// Moves that decide in which parts a network runs: by layers, strips or frames, on one core or two,
// and when its weights come.
#pragma once

#include "codegen/networks/network.h"
#include "deploy/deployment/deployment.h"
#include "deploy/deployment/moves.h"
#include "deploy/deployment/trial.h"
#include "tinytune/result.h"

namespace tinytune {

struct NetworkSearch {
  const Deployment& deployment;
  const NetworkOptions& options;
  Result<Candidate> best = Error(ErrorCode::kFailed, "nothing was tried");
};

/// Layers one by one.
Proposal by_layers(NetworkSearch& search);
/// Rows, or frames, of the input as they come.
Proposal by_rows(NetworkSearch& search);
Proposal by_frames(NetworkSearch& search);
/// Where layers do not fit, or are slow in the arena that they may have.
Proposal in_strips(NetworkSearch& search);
Proposal on_two_cores(NetworkSearch& search);
Proposal with_arrivals(NetworkSearch& search);

/// kInvalidInput, kUnsupported: as Deployment::generate().
Status check_cores(const Deployment& deployment);
Status check_arrival(const Deployment& deployment);

/// Whether the way of arrival keeps code out of flash, and nothing else may be copied.
bool copies_code_alone(const Deployment& deployment);

/// Makes all of these. Errors as Deployment::generate().
Result<Candidate> fastest_network(const Deployment& deployment, const NetworkOptions& options);

}  // namespace tinytune
