// A keyword-spotting network of our own: the shapes of MLPerf Tiny's DS-CNN, weights drawn from a
// bell curve, quantised as TFLite's converter would. It is untrained: it shows how fast kernels
// are and that they are exact, not what was said.
#pragma once

#include <cstdint>

#include "models/graph.h"

namespace tinytune {

/// The same graph for the same seed on every machine: only IEEE additions, multiplications,
/// divisions and square roots are used to make it.
Graph make_ds_cnn(uint64_t seed);

}  // namespace tinytune
