#include "examples/str_ww.h"

#include <utility>

#include "examples/untrained_network.h"

namespace tinytune {

Graph make_str_ww(uint64_t seed) {
  // Linear layers: untrained, many rectified channels would be zero for every input.
  constexpr Padding kNone = Padding::kValid;
  UntrainedNetwork network("str_ww", {1, 50, 1, 40}, seed, 8);
  network.convolution(
      {.channels = 64, .kernel_h = 3, .stride_h = 2, .linear = true, .padding = kNone});
  for (int block = 0; block < 4; ++block) {
    network.convolution(
        {.channels = 64, .kernel_h = 5, .depthwise = true, .linear = true, .padding = kNone});
    network.convolution({.channels = 64, .linear = true});
  }
  network.classify_picture(3);
  network.softmax();
  return std::move(network).finish();
}

}  // namespace tinytune
