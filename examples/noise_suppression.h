// A noise suppressor of two LSTM layers: input is a frame's spectrum, output a mask for its bins.
#pragma once

#include <cstdint>

#include "models/graph.h"

namespace tinytune {

/// Input: 129 log magnitudes of a frame of 256 samples. Output: as many mask values from 0 to 1.
Graph make_noise_suppression(uint64_t seed);

}  // namespace tinytune
