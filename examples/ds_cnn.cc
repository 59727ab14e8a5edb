#include "examples/ds_cnn.h"

#include <utility>

#include "examples/untrained_network.h"

namespace tinytune {

Graph make_ds_cnn(uint64_t seed) {
  UntrainedNetwork network("ds_cnn", {1, 49, 10, 1}, seed, 8);
  network.convolution(
      {.channels = 64, .kernel_h = 10, .kernel_w = 4, .stride_h = 2, .stride_w = 2});
  for (int block = 0; block < 4; ++block) {
    network.convolution({.channels = 64, .kernel_h = 3, .kernel_w = 3, .depthwise = true});
    network.convolution({.channels = 64});
  }
  network.classify_picture(12);
  network.softmax();
  return std::move(network).finish();
}

}  // namespace tinytune
