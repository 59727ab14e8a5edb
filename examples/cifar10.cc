#include "examples/cifar10.h"

#include <utility>

#include "examples/untrained_network.h"

namespace tinytune {

Graph make_cifar10(uint64_t seed) {
  UntrainedNetwork network("cifar10", {1, 32, 32, 3}, seed, 4);
  for (const int channels : {32, 32, 64}) {
    network.convolution({.channels = channels, .kernel_h = 5, .kernel_w = 5});
    network.max_pool(3, 2);
  }
  network.reshape();
  network.classify(10);
  network.softmax();
  return std::move(network).finish();
}

}  // namespace tinytune
