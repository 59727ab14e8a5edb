// Cycles of a network with less flash, or with a smaller arena.
#pragma once

#include <vector>

#include "codegen/networks/network.h"
#include "deploy/deployment/deployment.h"
#include "deploy/selection/layouts.h"
#include "tinytune/deploy.h"
#include "tinytune/footprint.h"
#include "tinytune/result.h"

namespace tinytune {

/// RunReport::flash_front of what generate() made, and of which `footprint` was measured. Errors
/// as there.
Result<std::vector<FlashPoint>> flash_front(const Deployment& deployment, LayoutChoice& layouts,
                                            const GeneratedNetwork& network,
                                            const Footprint& footprint);

/// RunReport::arena_front, likewise.
Result<std::vector<ArenaPoint>> arena_front(const Deployment& deployment, LayoutChoice& layouts,
                                            const GeneratedNetwork& network,
                                            const Footprint& footprint);

}  // namespace tinytune
