// Moves that decide the parts in which a network runs (layers, strips or frames, on one core or
// two), and whether its weights arrive.
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

/// Runs layers one by one.
Proposal by_layers(NetworkSearch& search);
/// Computes rows, or frames, of the input as they arrive.
Proposal by_rows(NetworkSearch& search);
Proposal by_frames(NetworkSearch& search);
/// Runs layers in strips if whole layers do not fit or are slow in the limited arena.
Proposal in_strips(NetworkSearch& search);
Proposal on_two_cores(NetworkSearch& search);
Proposal with_arrivals(NetworkSearch& search);

/// Check the options. kInvalidInput, kUnsupported: as for Deployment::generate().
Status check_cores(const Deployment& deployment);
Status check_arrival(const Deployment& deployment);

/// Returns whether the way of arrival needs code outside flash while nothing else may be copied.
bool copies_code_alone(const Deployment& deployment);

/// Makes all of these moves. Errors as for Deployment::generate().
Result<Candidate> fastest_network(const Deployment& deployment, const NetworkOptions& options);

}  // namespace tinytune
