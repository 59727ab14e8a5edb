// A streaming wake-word network of our own: separable convolutions over time, with the shapes of
// MLPerf Tiny's streaming benchmark. Without padding in time, so that a frame's contribution does
// not depend on its position in the window. Untrained, like ds_cnn.h.
#pragma once

#include <cstdint>

#include "models/graph.h"

namespace tinytune {

/// Input: 1 x 50 x 1 x 40, the window's frames and the features of each. Gives the same graph for
/// the same seed on every machine.
Graph make_str_ww(uint64_t seed);

}  // namespace tinytune
