// A small network whose layers suit a core and an accelerator differently: a convolution, a
// depthwise one, pointwise ones of few and of many channels, a dense layer of few outputs.
#pragma once

#include <cstdint>

#include "models/graph.h"

namespace tinytune {

Graph make_offload_net(uint64_t seed);

}  // namespace tinytune
