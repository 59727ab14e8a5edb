#include "examples/mobile_nets.h"

#include <utility>

#include "examples/untrained_network.h"

namespace tinytune {
namespace {

constexpr int kSamples = 2;

DrawnConvolution depthwise(int channels, int stride) {
  return {.channels = channels,
          .kernel_h = 3,
          .kernel_w = 3,
          .stride_h = stride,
          .stride_w = stride,
          .depthwise = true};
}

DrawnConvolution stem(int channels) {
  return {.channels = channels, .kernel_h = 3, .kernel_w = 3, .stride_h = 2, .stride_w = 2};
}

Graph classified(UntrainedNetwork network, int classes) {
  network.pool();
  network.reshape();
  network.classify(classes);
  network.softmax();
  return std::move(network).finish();
}

}  // namespace

Graph make_person_detection(uint64_t seed) {
  struct Block {
    int channels, stride;
  };
  constexpr Block kBlocks[] = {{16, 1},  {32, 2},  {32, 1},  {64, 2},  {64, 1},  {128, 2}, {128, 1},
                               {128, 1}, {128, 1}, {128, 1}, {128, 1}, {256, 2}, {256, 1}};
  UntrainedNetwork network("person_detection", {1, 96, 96, 1}, seed, kSamples);
  int channels = 8;
  network.convolution(stem(channels));
  for (const Block& block : kBlocks) {
    network.convolution(depthwise(channels, block.stride));
    network.convolution({.channels = channels = block.channels});
  }
  return classified(std::move(network), 2);
}

Graph make_mobilenet_v2(uint64_t seed) {
  struct Stage {
    int expansion, channels, blocks, stride;
  };
  constexpr Stage kStages[] = {{1, 8, 1, 1},  {6, 8, 2, 2},  {6, 16, 3, 2}, {6, 24, 4, 2},
                               {6, 32, 3, 1}, {6, 56, 3, 2}, {6, 112, 1, 1}};
  UntrainedNetwork network("mobilenet_v2", {1, 96, 96, 3}, seed, kSamples);
  int channels = 16;
  network.convolution(stem(channels));
  for (const Stage& stage : kStages)
    for (int block = 0; block < stage.blocks; ++block) {
      const int stride = block == 0 ? stage.stride : 1, input = network.current();
      const bool is_residual = stride == 1 && channels == stage.channels;
      if (stage.expansion > 1) network.convolution({.channels = channels * stage.expansion});
      network.convolution(depthwise(channels * stage.expansion, stride));
      network.convolution({.channels = stage.channels, .linear = true});
      if (is_residual) network.add_to(input);
      channels = stage.channels;
    }
  network.convolution({.channels = 256});
  return classified(std::move(network), 10);
}

}  // namespace tinytune
