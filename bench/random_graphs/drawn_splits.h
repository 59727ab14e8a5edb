// Layers that two cores share, drawn: whatever is possible, not what would pay.
#pragma once

#include <cstdint>
#include <vector>

#include "codegen/networks/network.h"
#include "models/integer_network.h"

namespace tinytune::bench {

/// Of layers outside the groups that `options` have; each at any row. None where the input arrives
/// in rows.
std::vector<CoreSplit> drawn_splits(const IntegerNetwork& network, const NetworkOptions& options,
                                    uint64_t seed);

}  // namespace tinytune::bench
