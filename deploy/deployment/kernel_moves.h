// Chooses the fastest kernels within all limits, for a network whose layers, strips and cores are
// decided.
#pragma once

#include "codegen/networks/network.h"
#include "deploy/deployment/deployment.h"
#include "deploy/deployment/trial.h"
#include "deploy/selection/fitting.h"
#include "deploy/selection/kernel_options.h"
#include "tinytune/result.h"

namespace tinytune {

/// Returns the network with the fastest kernels. Errors as for generate_within(). kFailed: its
/// arena does not fit the device, or its RAM exceeds the limit.
Result<Candidate> fastest_kernels(const Deployment& deployment, const NetworkOptions& options);

/// Generates the network with kernels within `limits`, and within the device's flash if possible.
Result<GeneratedNetwork> choose_kernels(const Deployment& deployment, const NetworkOptions& options,
                                        const KernelLimits& limits, const FlashWaits& waits,
                                        const PlaceParts& place_parts = {});

}  // namespace tinytune
