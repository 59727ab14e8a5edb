// Draws layers that two cores share: any legal choice, profitable or not.
#pragma once

#include <cstdint>
#include <vector>

#include "codegen/networks/network.h"
#include "models/integer_network.h"

namespace tinytune::bench {

/// Draws which layers are split, and at which row. Layers in groups of strips, and networks whose
/// input arrives in rows, cannot be split and are left out.
std::vector<CoreSplit> drawn_splits(const IntegerNetwork& network, const NetworkOptions& options,
                                    uint64_t seed);

}  // namespace tinytune::bench
