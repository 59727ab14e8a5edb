// A keyword-spotting network of our own: the shapes of MLPerf Tiny's DS-CNN, weights drawn from a
// bell curve, quantised as TFLite's converter would. It is untrained: it demonstrates the speed and
// exactness of kernels, not recognition.
#pragma once

#include <cstdint>

#include "models/graph.h"

namespace tinytune {

/// Gives the same graph for the same seed on every machine, because it uses only IEEE additions,
/// multiplications, divisions and square roots.
Graph make_ds_cnn(uint64_t seed);

}  // namespace tinytune
