// A small network with an operator that only its owner can compute.
#pragma once

#include <cstdint>

#include "models/graph.h"

namespace tinytune {

Graph make_softsign_net(uint64_t seed);

}  // namespace tinytune
