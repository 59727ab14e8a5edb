// Pareto fronts of a network's cycles over less flash, or over a smaller arena.
#pragma once

#include <vector>

#include "codegen/networks/network.h"
#include "deploy/deployment/deployment.h"
#include "deploy/selection/layouts.h"
#include "tinytune/deploy.h"
#include "tinytune/footprint.h"
#include "tinytune/result.h"

namespace tinytune {

/// Returns RunReport::flash_front for a network of Deployment::generate() and its measured
/// `footprint`. Errors as there.
Result<std::vector<FlashPoint>> flash_front(const Deployment& deployment, LayoutChoice& layouts,
                                            const GeneratedNetwork& network,
                                            const Footprint& footprint);

/// Returns RunReport::arena_front likewise.
Result<std::vector<ArenaPoint>> arena_front(const Deployment& deployment, LayoutChoice& layouts,
                                            const GeneratedNetwork& network,
                                            const Footprint& footprint);

}  // namespace tinytune
