#include "examples/offload_net.h"

#include <utility>

#include "examples/untrained_network.h"

namespace tinytune {

Graph make_offload_net(uint64_t seed) {
  UntrainedNetwork network("offload_net", {1, 12, 12, 3}, seed, 4);
  network.convolution({.channels = 8, .kernel_h = 3, .kernel_w = 3, .stride_h = 2, .stride_w = 2});
  network.convolution({.channels = 32});
  network.convolution({.channels = 32, .kernel_h = 3, .kernel_w = 3, .depthwise = true});
  network.convolution({.channels = 2});
  network.convolution({.channels = 24});
  network.classify_picture(4);
  return std::move(network).finish();
}

}  // namespace tinytune
