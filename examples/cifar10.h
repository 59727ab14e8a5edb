// The image classifier of CMSIS-NN's paper (arXiv 1801.06601, table IV): three 5x5 convolutions of
// 32, 32 and 64 channels on 32x32x3, each pooled to half, and a dense layer of 10 classes; 12.3 M
// multiply-accumulates. Its weights are made up.
#pragma once

#include <cstdint>

#include "models/graph.h"

namespace tinytune {

Graph make_cifar10(uint64_t seed);

}  // namespace tinytune
