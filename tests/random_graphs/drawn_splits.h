// Layers that two cores share, drawn: whatever is possible, not what would pay.
#pragma once

#include <cstdint>
#include <vector>

#include "codegen/networks/network.h"
#include "models/integer_network.h"

namespace tinytune::bench {

/// Draws which layers are split, and at which row. Leaves out layers in groups of strips, and all
/// of a network whose input arrives in rows: neither can be split.
std::vector<CoreSplit> drawn_splits(const IntegerNetwork& network, const NetworkOptions& options,
                                    uint64_t seed);

}  // namespace tinytune::bench
