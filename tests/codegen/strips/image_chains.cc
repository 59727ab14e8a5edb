#include "tests/codegen/strips/image_chains.h"

#include <utility>

namespace tinytune::test {
namespace {

constexpr float kChainScale = 0.1f;
constexpr int kZeroPoint = -11;

}  // namespace

ImageChain::ImageChain(int rows, int columns, int channels, uint64_t seed) : rng_(seed) {
  at_ = builder_.input({1, rows, columns, channels}, kChainScale, kZeroPoint);
  shapes_.push_back({1, rows, columns, channels});
}

void ImageChain::go_back_to(int tensor) { at_ = tensor; }

std::vector<uint8_t> ImageChain::weights(int count) {
  std::vector<uint8_t> bytes;
  for (int i = 0; i < count; ++i)
    bytes.push_back(static_cast<uint8_t>(static_cast<int>(rng_.below(61)) - 30));
  return bytes;
}

std::vector<int> ImageChain::shape_after(const Window& window, int channels) const {
  std::vector<int> shape = shapes_[static_cast<size_t>(at_)];
  const int reach = (window.kernel - 1) * window.dilation + 1;
  for (const size_t axis : {1, 2})
    shape[axis] = window.padding == Padding::kSame
                      ? (shape[axis] + window.stride - 1) / window.stride
                      : (shape[axis] - reach) / window.stride + 1;
  shape[3] = channels;
  return shape;
}

int ImageChain::append(OperatorKind kind, std::vector<int> inputs, Attributes attributes,
                       std::vector<int> shape) {
  at_ = builder_.op(kind, std::move(inputs), std::move(attributes), shape, kChainScale, kZeroPoint);
  shapes_.resize(static_cast<size_t>(at_) + 1);
  shapes_.back() = std::move(shape);
  return at_;
}

int ImageChain::another_input() {
  const std::vector<int>& shape = shapes_[static_cast<size_t>(at_)];
  return builder_.input(shape, kChainScale, kZeroPoint);
}

int ImageChain::conv(int channels, const Window& window) {
  const int in = shapes_[static_cast<size_t>(at_)][3], k = window.kernel;
  const int w = builder_.constant({channels, k, k, in}, 0.01f, 0, weights(channels * k * k * in));
  ConvAttributes attributes{window.padding,
                            Activation::kNone,
                            window.stride,
                            window.stride,
                            window.dilation,
                            window.dilation,
                            0};
  return append(OperatorKind::kConv2d, {at_, w, -1}, attributes, shape_after(window, channels));
}

int ImageChain::depthwise(const Window& window) {
  const int channels = shapes_[static_cast<size_t>(at_)][3], k = window.kernel;
  const int w = builder_.constant({1, k, k, channels}, 0.02f, 0, weights(k * k * channels));
  ConvAttributes attributes{window.padding,
                            Activation::kNone,
                            window.stride,
                            window.stride,
                            window.dilation,
                            window.dilation,
                            1};
  return append(OperatorKind::kDepthwiseConv2d, {at_, w, -1}, attributes,
                shape_after(window, channels));
}

int ImageChain::pool(const Window& window, bool average) {
  const int channels = shapes_[static_cast<size_t>(at_)][3];
  PoolAttributes attributes{window.padding, Activation::kNone, window.stride,
                            window.stride,  window.kernel,     window.kernel};
  return append(average ? OperatorKind::kAveragePool2d : OperatorKind::kMaxPool2d, {at_},
                attributes, shape_after(window, channels));
}

int ImageChain::add(int other) {
  return append(OperatorKind::kAdd, {at_, other}, ActivationAttributes{},
                shapes_[static_cast<size_t>(at_)]);
}

int ImageChain::relu6() {
  return append(OperatorKind::kRelu6, {at_}, {}, shapes_[static_cast<size_t>(at_)]);
}

Graph mobile_chain(uint64_t seed) {
  ImageChain chain(13, 8, 4, seed);
  chain.conv(8, {.kernel = 3});
  chain.depthwise({.kernel = 3});
  chain.conv(16, {.kernel = 1});
  chain.depthwise({.kernel = 3, .stride = 2});
  chain.conv(16, {.kernel = 1});
  return chain.finish();
}

Graph residual_block(uint64_t seed) {
  ImageChain chain(12, 8, 4, seed);
  const int trunk = chain.conv(8, {.kernel = 3});
  chain.conv(8, {.kernel = 3});
  chain.conv(8, {.kernel = 3});
  chain.add(trunk);
  return chain.finish();
}

Graph downsampling_block(uint64_t seed) {
  ImageChain chain(16, 16, 4, seed);
  const int trunk = chain.conv(16, {.kernel = 3});
  chain.conv(32, {.kernel = 3, .stride = 2});
  const int body = chain.conv(32, {.kernel = 3});
  chain.go_back_to(trunk);
  chain.conv(32, {.kernel = 1, .stride = 2});
  chain.add(body);
  return chain.finish();
}

}  // namespace tinytune::test
