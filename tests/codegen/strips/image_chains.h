// Chains of image operators with random weights, for the tests of strips.
#pragma once

#include <cstdint>

#include "base/rng.h"
#include "models/graph.h"
#include "tests/codegen/graph_builder.h"

namespace tinytune::test {

class ImageChain {
 public:
  struct Window {
    int kernel = 3, stride = 1, dilation = 1;
    Padding padding = Padding::kSame;
  };

  ImageChain(int rows, int columns, int channels, uint64_t seed);

  /// Returns the tensor that the next operator reads.
  int at() const { return at_; }
  void go_back_to(int tensor);

  int conv(int channels, const Window& window);
  int depthwise(const Window& window);
  int pool(const Window& window, bool average);
  int add(int other);
  int relu6();
  /// Adds an input of the network with the shape of the tensor that the next operator reads.
  int another_input();

  Graph finish() { return builder_.finish({at_}); }

 private:
  std::vector<uint8_t> weights(int count);
  std::vector<int> shape_after(const Window& window, int channels) const;
  int append(OperatorKind kind, std::vector<int> inputs, Attributes attributes,
             std::vector<int> shape);

  Rng rng_;
  GraphBuilder builder_;
  int at_ = 0;
  std::vector<std::vector<int>> shapes_;  // by tensor; empty for constants
};

/// Operators 0 to 4: convolution 3x3, depthwise 3x3, convolution 1x1, depthwise 3x3 with stride 2,
/// convolution 1x1; of 13 rows, which no strip height divides.
Graph mobile_chain(uint64_t seed);

/// A residual block behind a convolution: 0 convolution, 1 and 2 convolutions 3x3, 3 the sum of 0
/// and 2.
Graph residual_block(uint64_t seed);

/// A residual block that halves the image, as converters write it: 0 convolution, 1 convolution 3x3
/// of stride 2, 2 convolution 3x3, 3 the shortcut from 0, a 1x1 of stride 2, 4 the sum of 2 and 3.
Graph downsampling_block(uint64_t seed);

}  // namespace tinytune::test
