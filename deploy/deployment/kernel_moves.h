// Kernels for a network whose layers, strips and cores are decided: the fastest within all limits.
#pragma once

#include "codegen/networks/network.h"
#include "deploy/deployment/deployment.h"
#include "deploy/deployment/trial.h"
#include "deploy/selection/fitting.h"
#include "deploy/selection/kernel_options.h"
#include "tinytune/result.h"

namespace tinytune {

/// Errors as generate_within(). kFailed: its arena does not fit the device, or all it takes not the
/// limit on RAM.
Result<Candidate> fastest_kernels(const Deployment& deployment, const NetworkOptions& options);

/// Kernels within `limits`, and within the device's flash where there are such.
Result<GeneratedNetwork> choose_kernels(const Deployment& deployment, const NetworkOptions& options,
                                        const KernelLimits& limits, const FlashWaits& waits,
                                        const PlaceParts& place_parts = {});

}  // namespace tinytune
