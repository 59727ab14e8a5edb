// A streaming wake-word network of our own: separable convolutions over time, of the shapes of
// MLPerf Tiny's streaming benchmark, without padding in time, so that what a frame contributes does
// not depend on where in the window it stands. Untrained, as ds_cnn.h.
#pragma once

#include <cstdint>

#include "models/graph.h"

namespace tinytune {

/// Its input is 1 x 50 x 1 x 40: the window's frames, and features of each. The same graph for the
/// same seed on every machine.
Graph make_str_ww(uint64_t seed);

}  // namespace tinytune
