#include "examples/mobile_nets.h"

#include <span>
#include <utility>

#include "examples/untrained_network.h"

namespace tinytune {
namespace {

constexpr int kSamples = 2;

DrawnConvolution depthwise(int channels, int stride, int kernel = 3) {
  return {.channels = channels,
          .kernel_h = kernel,
          .kernel_w = kernel,
          .stride_h = stride,
          .stride_w = stride,
          .depthwise = true};
}

DrawnConvolution stem(int channels, int kernel = 3) {
  return {
      .channels = channels, .kernel_h = kernel, .kernel_w = kernel, .stride_h = 2, .stride_w = 2};
}

Graph classified(UntrainedNetwork network, int classes) {
  network.classify_picture(classes);
  network.softmax();
  return std::move(network).finish();
}

// Adds a block. Pools and pads its shortcut if stride or channels differ from the input's.
void residual_block(UntrainedNetwork& network, int from, int channels, int stride) {
  const int input = network.current();
  DrawnConvolution filters = depthwise(from, stride, 5);
  filters.linear = true;
  network.convolution(filters);
  network.convolution({.channels = channels, .linear = true});
  const int result = network.current();
  network.continue_from(input);
  if (stride > 1) network.max_pool(stride, stride);
  if (channels > from) network.pad_channels(channels);
  network.add_to(result, Activation::kRelu);
}

// Adds outputs for the scores and boxes of `anchors` in each cell.
void detection_head(UntrainedNetwork& network, int anchors) {
  const int features = network.current();
  for (const int numbers : {1, 16}) {
    network.continue_from(features);
    network.convolution({.channels = anchors * numbers, .linear = true});
    network.output();
  }
  network.continue_from(features);
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

Graph make_face_detection(uint64_t seed) {
  struct Block {
    int channels, stride;
  };
  constexpr Block kCoarse[] = {{16, 1}, {24, 2}, {24, 1}, {32, 2}, {40, 1}, {48, 1}};
  constexpr Block kCoarsest[] = {{64, 2}, {64, 1}, {64, 1}};
  UntrainedNetwork network("face_detection", {1, 96, 96, 3}, seed, kSamples);
  int channels = 16;
  network.convolution(stem(channels, 5));
  const auto blocks = [&](std::span<const Block> all) {
    for (const Block& block : all) {
      residual_block(network, channels, block.channels, block.stride);
      channels = block.channels;
    }
  };
  blocks(kCoarse);
  detection_head(network, 2);
  blocks(kCoarsest);
  detection_head(network, 6);
  return std::move(network).finish();
}

}  // namespace tinytune
