#include "examples/softsign_net.h"

#include <utility>

#include "examples/untrained_network.h"

namespace tinytune {

Graph make_softsign_net(uint64_t seed) {
  UntrainedNetwork network("softsign_net", {1, 12, 12, 3}, seed, 4);
  network.convolution(
      {.channels = 16, .kernel_h = 3, .kernel_w = 3, .stride_h = 2, .stride_w = 2, .linear = true});
  network.softsign();
  network.convolution({.channels = 24});
  network.classify_picture(4);
  return std::move(network).finish();
}

}  // namespace tinytune
