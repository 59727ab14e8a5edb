// A noise suppressor of two LSTM layers: a frame's spectrum in, a mask for its bins out.
#pragma once

#include <cstdint>

#include "models/graph.h"

namespace tinytune {

/// 129 magnitudes of a frame of 256 samples, as logarithms; a mask of as many numbers from 0 to 1.
Graph make_noise_suppression(uint64_t seed);

}  // namespace tinytune
