// Draws groups of strips for a network: any legal choice, profitable or not.
#pragma once

#include <cstdint>
#include <vector>

#include "codegen/networks/network.h"
#include "models/integer_network.h"

namespace tinytune::bench {

/// Returns no groups if the network may not run in strips. `options` has the layouts.
std::vector<StripGroup> drawn_strips(const IntegerNetwork& network, const NetworkOptions& options,
                                     uint64_t seed);

}  // namespace tinytune::bench
