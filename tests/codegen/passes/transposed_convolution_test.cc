// Transposed convolutions as convolutions of all phases, and layers before DEPTH_TO_SPACE: the same
// bytes, moved in place.
#include "codegen/passes/transposed_convolution.h"

#include <gtest/gtest.h>

#include <random>

#include "codegen/passes/passes.h"
#include "models/workload_description.h"
#include "tests/codegen/graph_builder.h"
#include "tests/codegen/network_run.h"

namespace tinytune {
namespace {

using test::executed;
using test::expect_exact;
using test::GraphBuilder;
using test::seeded_inputs;

struct Transposed {
  std::vector<int> input, kernel, output;  // the kernel: rows and columns
  TransposeConvAttributes attributes;
};

// Per-channel scales, a bias and zero points.
Graph graph_of(const Transposed& layer) {
  const int channels = layer.output[3];
  const std::vector<int> shape = {channels, layer.kernel[0], layer.kernel[1], layer.input[3]};
  std::mt19937 rng(5);
  std::vector<uint8_t> bytes;
  for (int i = 0; i < shape[0] * shape[1] * shape[2] * shape[3]; ++i)
    bytes.push_back(static_cast<uint8_t>(rng()));
  std::vector<float> scales;
  std::vector<int32_t> bias;
  for (int c = 0; c < channels; ++c) {
    scales.push_back(0.002F + 0.0003F * static_cast<float>(c % 7));
    bias.push_back(c * 97 - 300);
  }
  GraphBuilder b;
  const int x = b.input(layer.input, 0.5F, 11);
  const int weights = b.constant(shape, 1, 0, bytes);
  b.scales(weights, scales, 0);
  const std::vector<int>& out = layer.output;
  return b.finish(
      {b.op(OperatorKind::kTransposeConv,
            {b.integers({out[0], out[1], out[2], out[3]}), weights, x, b.bias(bias, 0.001F)},
            layer.attributes, out, 0.5F, -3)});
}

void expect_convolution(const Transposed& layer, const std::string& description) {
  SCOPED_TRACE(description);
  const Graph graph = graph_of(layer);
  const IntegerNetwork network = executed(graph);
  const auto* kernel = std::get_if<KernelOp>(&network.ops.at(0));
  ASSERT_NE(kernel, nullptr);
  EXPECT_EQ(short_name(kernel->workload), description);
  for (const char* device : {"cortex-m4", "rv32imc", "rp2040", "cortex-m55"})
    expect_exact(graph, *load_device(device), seeded_inputs(graph, 3));
}

constexpr auto kSame = Padding::kSame, kValid = Padding::kValid;

TEST(TransposedConvolution, PhasesOfEachSize_AreExact) {
  expect_convolution({{1, 5, 6, 8}, {2, 2}, {1, 10, 12, 4}, {kSame, 2, 2}},
                     "conv2d 1x1 8->16 @5x6");
  expect_convolution({{1, 5, 6, 8}, {3, 3}, {1, 10, 12, 4}, {kSame, 2, 2}},
                     "conv2d 2x2 8->16 @5x6");
  expect_convolution({{1, 5, 6, 8}, {4, 4}, {1, 10, 12, 4}, {kSame, 2, 2}},
                     "conv2d 3x3 8->16 @5x6");
  expect_convolution({{1, 4, 4, 8}, {5, 5}, {1, 8, 8, 4}, {kSame, 2, 2}}, "conv2d 3x3 8->16 @4x4");
  expect_convolution({{1, 5, 6, 8}, {3, 3}, {1, 5, 6, 4}, {kSame, 1, 1}}, "conv2d 3x3 8->4 @5x6");
}

TEST(TransposedConvolution, OtherStridesChannelsAndBatches_AreExact) {
  // Runs that are not whole words, three rows of phases, several images.
  expect_convolution({{2, 3, 5, 3}, {3, 2}, {2, 9, 10, 5}, {kSame, 3, 2}}, "conv2d 1x1 3->30 @3x5");
  expect_convolution({{1, 4, 7, 4}, {3, 3}, {1, 4, 14, 3}, {kSame, 1, 2}}, "conv2d 3x2 4->6 @4x7");
  expect_convolution({{1, 4, 7, 4}, {3, 3}, {1, 8, 7, 3}, {kSame, 2, 1}}, "conv2d 2x3 4->6 @4x7");
  // Taps reach beyond the input's last row.
  expect_convolution({{1, 3, 4, 4}, {4, 4}, {1, 8, 10, 2}, {kValid, 2, 2}}, "conv2d 2x2 4->8 @4x5");
  // A column has no rows to separate.
  expect_convolution({{1, 6, 1, 4}, {2, 1}, {1, 12, 1, 6}, {kSame, 2, 1}}, "conv2d 1x1 4->12 @6x1");
}

// More runs than a byte can count.
TEST(TransposedConvolution, WideRows_AreExact) {
  expect_convolution({{1, 1, 131, 2}, {2, 2}, {1, 2, 262, 2}, {kSame, 2, 2}},
                     "conv2d 1x1 2->8 @1x131");
}

TEST(TransposedConvolution, IncompletePhasesAndMostlyZeros_StayAsTheyAre) {
  for (const Transposed& layer : {Transposed{{1, 4, 4, 4}, {3, 3}, {1, 9, 9, 3}, {kValid, 2, 2}},
                                  Transposed{{1, 4, 4, 4}, {1, 1}, {1, 8, 8, 3}, {kSame, 2, 2}},
                                  Transposed{{1, 4, 4, 4}, {3, 3}, {1, 7, 8, 3}, {kSame, 2, 2}}}) {
    const Graph graph = graph_of(layer);
    EXPECT_TRUE(std::holds_alternative<TransposeConvOp>(executed(graph).ops.at(0)));
    expect_exact(graph, *load_device("cortex-m4"), seeded_inputs(graph, 3));
  }
}

// A convolution whose channels are blocks of pixels, and what reads the image.
Graph with_blocks(const std::vector<int>& input, int channels, int block, bool is_read_twice) {
  GraphBuilder b;
  const int x = b.input(input, 0.5F, 11);
  std::vector<uint8_t> bytes;
  for (int i = 0; i < channels * 9 * input[3]; ++i) bytes.push_back(static_cast<uint8_t>(i * 41));
  const int weights = b.constant({channels, 3, 3, input[3]}, 0.003F, 0, bytes);
  std::vector<int> shape = {input[0], input[1], input[2], channels};
  const int y = b.op(OperatorKind::kConv2d, {x, weights}, ConvAttributes{}, shape, 0.5F, -3);
  const int other = is_read_twice ? b.op(OperatorKind::kRelu, {y}, {}, shape, 0.5F, -3) : -1;
  shape = {shape[0], shape[1] * block, shape[2] * block, channels / block / block};
  const int image = b.op(OperatorKind::kDepthToSpace, {y}, BlockAttributes{block}, shape, 0.5F, -3);
  return is_read_twice ? b.finish({image, other}) : b.finish({image});
}

TEST(DepthToSpace, BehindALayer_MovesItsOutputInPlace) {
  for (const auto& [input, channels, block] : {std::tuple(std::vector<int>{1, 4, 5, 4}, 8, 2),
                                               {{2, 3, 4, 3}, 27, 3},
                                               {{1, 5, 1, 4}, 4, 2}}) {
    SCOPED_TRACE(channels);
    const Graph graph = with_blocks(input, channels, block, false);
    EXPECT_EQ(executed(graph).ops.size(), 1u);
    for (const char* device : {"cortex-m4", "rv32imc"})
      expect_exact(graph, *load_device(device), seeded_inputs(graph, 3));
  }
}

TEST(DepthToSpace, OfChannelsThatOthersRead_StaysAnOperator) {
  const Graph graph = with_blocks({1, 4, 5, 4}, 8, 2, true);
  EXPECT_EQ(executed(graph).ops.size(), 3u);
  expect_exact(graph, *load_device("cortex-m4"), seeded_inputs(graph, 3));
}

// Pixels become rows without a copy of the output.
TEST(TransposedConvolution, Arena_HoldsInputAndOutputAlone) {
  const Graph graph = graph_of({{1, 16, 16, 16}, {2, 2}, {1, 32, 32, 16}, {kSame, 2, 2}});
  const auto network = generate_network(executed(graph), *load_device("rv32imc"), {}, {"net"});
  ASSERT_TRUE(network.has_value()) << network.error().message();
  EXPECT_LE(network->arena_bytes, 16u * 16 * 16 + 32 * 32 * 16 + 1024);
}

}  // namespace
}  // namespace tinytune
