// Graph passes: each keeps the outputs and has its intended effect.
#include "codegen/passes/passes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <tuple>

#include "codegen/passes/channel_ranges.h"
#include "tests/codegen/graph_builder.h"
#include "tests/codegen/network_run.h"
#include "tests/codegen/passes/one_pass.h"

namespace tinytune {
namespace {

using test::Bytes;
using test::expect_same_outputs;
using test::GraphBuilder;
using test::only;
using test::seeded_inputs;
using testing::HasSubstr;

Bytes random_weights(size_t count, uint32_t seed) {
  std::mt19937 rng(seed);
  Bytes bytes(count);
  for (uint8_t& b : bytes) b = static_cast<uint8_t>(rng());
  return bytes;
}

int relu(GraphBuilder& b, int at, std::vector<int> shape, float scale, int zero_point) {
  return b.op(OperatorKind::kRelu, {at}, {}, std::move(shape), scale, zero_point);
}

// A convolution with per-channel scales; `scales` decide which channels are dead.
int convolution(GraphBuilder& b, int at, int in_c, std::vector<float> scales, int kernel,
                std::vector<int> out_shape, ConvAttributes attributes, float out_scale,
                int out_zero_point, uint32_t seed) {
  const int out_c = static_cast<int>(scales.size());
  const int weights =
      b.constant({out_c, kernel, kernel, in_c}, 1, 0,
                 random_weights(static_cast<size_t>(out_c * kernel * kernel * in_c), seed));
  b.scales(weights, std::move(scales), 0);
  return b.op(OperatorKind::kConv2d, {at, weights}, attributes, std::move(out_shape), out_scale,
              out_zero_point);
}

int depthwise(GraphBuilder& b, int at, std::vector<float> scales, std::vector<int> shape,
              int multiplier, float out_scale, int out_zero_point, uint32_t seed) {
  const int channels = static_cast<int>(scales.size());
  const int weights = b.constant({1, 3, 3, channels}, 1, 0,
                                 random_weights(static_cast<size_t>(9 * channels), seed));
  b.scales(weights, std::move(scales), 3);
  ConvAttributes attributes;
  attributes.activation = Activation::kRelu;
  attributes.depth_multiplier = multiplier;
  return b.op(OperatorKind::kDepthwiseConv2d, {at, weights}, attributes, std::move(shape),
              out_scale, out_zero_point);
}

TEST(GraphPasses, UnknownName_IsRefusedWithTheNamesThereAre) {
  const Graph graph = [] {
    GraphBuilder b;
    const int x = b.input({1, 4}, 1, 0);
    return b.finish({relu(b, x, {1, 4}, 1, 0)});
  }();
  const std::vector<std::string> names = {"constant-chanels"};
  const auto network = executed_network(graph, names);
  ASSERT_FALSE(network.has_value());
  EXPECT_EQ(network.error().code(), ErrorCode::kInvalidInput);
  EXPECT_THAT(network.error().message(), HasSubstr("constant-chanels"));
  EXPECT_THAT(network.error().message(), HasSubstr("constant-channels, "));
}

TEST(FuseActivations, ReluOfASum_IsItsClamp) {
  GraphBuilder b;
  const int x = b.input({1, 3, 3, 5}, 0.5F, -7), y = b.input({1, 3, 3, 5}, 0.25F, 9);
  const int sum = b.op(OperatorKind::kAdd, {x, y}, ActivationAttributes{}, {1, 3, 3, 5}, 0.5F, 3);
  const Graph graph = b.finish({relu(b, sum, {1, 3, 3, 5}, 0.5F, 3)});
  const IntegerNetwork network = expect_same_outputs(graph, "fuse-activations");
  ASSERT_EQ(network.ops.size(), 1u);
  EXPECT_EQ(std::get<AddOp>(network.ops[0]).activation_min, 3);
  ASSERT_EQ(network.absorbed.size(), 1u);
  EXPECT_EQ(network.absorbed[0].index, 1);
  EXPECT_EQ(network.absorbed[0].into, 0);
}

TEST(FuseActivations, ReluThatRescales_StaysATable) {
  GraphBuilder b;
  const int x = b.input({1, 9}, 0.5F, -7), y = b.input({1, 9}, 0.25F, 9);
  const int sum = b.op(OperatorKind::kAdd, {x, y}, ActivationAttributes{}, {1, 9}, 0.5F, 3);
  const Graph graph = b.finish({relu(b, sum, {1, 9}, 0.3F, -128)});
  EXPECT_EQ(expect_same_outputs(graph, "fuse-activations").ops.size(), 2u);
}

TEST(FuseActivations, SumThatIsAlsoRead_KeepsItsOwnRange) {
  GraphBuilder b;
  const int x = b.input({1, 9}, 0.5F, -7), y = b.input({1, 9}, 0.25F, 9);
  const int sum = b.op(OperatorKind::kAdd, {x, y}, ActivationAttributes{}, {1, 9}, 0.5F, 3);
  const Graph graph = b.finish({relu(b, sum, {1, 9}, 0.5F, 3), sum});
  EXPECT_EQ(expect_same_outputs(graph, "fuse-activations").ops.size(), 2u);
}

TEST(FuseActivations, ChainOfClamps_IsReportedWithTheOperatorThatRuns) {
  GraphBuilder b;
  const int x = b.input({1, 9}, 0.5F, -7), y = b.input({1, 9}, 0.25F, 9);
  const int sum = b.op(OperatorKind::kAdd, {x, y}, ActivationAttributes{}, {1, 9}, 0.5F, 3);
  const int first = relu(b, sum, {1, 9}, 0.5F, 3);
  const Graph graph = b.finish({b.op(OperatorKind::kRelu6, {first}, {}, {1, 9}, 0.5F, 3)});
  const auto network = executed_network(graph);
  ASSERT_TRUE(network.has_value());
  const auto generated = generate_network(*network, *load_device("rv32imc"), {}, {"net"});
  ASSERT_TRUE(generated.has_value());
  ASSERT_EQ(generated->layers.size(), 3u);
  for (const GeneratedLayer& layer : generated->layers)
    EXPECT_EQ(layer.fused_into, layer.index == 0 ? std::nullopt : std::optional<int>(0));
}

TEST(FuseActivations, ClampsThatDoNotMeet_EndAtTheSecond) {
  GraphBuilder b;  // RELU6 of the convolution ends below where the second RELU begins
  const int x = b.input({1, 3, 3, 2}, 1, 0);
  ConvAttributes clamped;
  clamped.activation = Activation::kRelu6;
  const int y =
      convolution(b, x, 2, {0.01F, 0.02F}, 1, {1, 3, 3, 2}, clamped, 1, -128, 3);  // -128..-122
  IntegerNetwork network = only(b.finish({relu(b, y, {1, 3, 3, 2}, 1, -128)}), "");
  auto& table = std::get<LookupOp>(network.ops[1]).table;
  for (int v = -128; v <= 127; ++v)
    table[static_cast<uint8_t>(v)] = static_cast<uint8_t>(std::clamp(v, -100, 50));
  const std::vector<Bytes> inputs = seeded_inputs(network.graph, 1);
  const auto off = run_reference(network, inputs);
  for (const GraphPass& pass : graph_passes())
    if (pass.name == "fuse-activations") pass.run(network);
  ASSERT_EQ(network.ops.size(), 1u);
  const auto on = run_reference(network, inputs);
  ASSERT_TRUE(off.has_value() && on.has_value());
  const auto output = static_cast<size_t>(network.graph.outputs[0]);
  EXPECT_EQ((*on)[output], (*off)[output]);
  EXPECT_EQ((*on)[output], Bytes(18, static_cast<uint8_t>(-100)));
}

TEST(FusePadding, PadBeforeValidConvolutions_BecomesTheirPadding) {
  GraphBuilder b;
  const int x = b.input({1, 5, 6, 3}, 0.5F, -9);
  const int padded = b.op(OperatorKind::kPad, {x, b.integers({0, 0, 1, 0, 2, 1, 0, 0})}, {},
                          {1, 6, 9, 3}, 0.5F, -9);
  ConvAttributes valid;
  valid.padding = Padding::kValid;
  const int y =
      convolution(b, padded, 3, {0.01F, 0.02F, 0.01F, 0.004F}, 3, {1, 4, 7, 4}, valid, 1, 5, 1);
  const int z = convolution(b, padded, 3, {0.01F, 0.02F}, 3, {1, 4, 7, 2}, valid, 1, -5, 2);
  const Graph graph = b.finish({y, z});
  const IntegerNetwork network = expect_same_outputs(graph, "fuse-padding");
  ASSERT_EQ(network.ops.size(), 2u);
  const Workload& w = std::get<KernelOp>(network.ops[0]).workload;
  EXPECT_EQ(w.in_h, 5);
  EXPECT_EQ(w.pad_top, 1);
  EXPECT_EQ(w.pad_left, 2);
  ASSERT_EQ(network.absorbed.size(), 1u);
  EXPECT_EQ(network.absorbed[0].into, 1);
}

TEST(FusePadding, PadWithAnotherValueOrWiderThanTheWindow_Stays) {
  for (const auto& [paddings, shape, value] :
       {std::tuple(std::vector<int32_t>{0, 0, 1, 1, 1, 1, 0, 0}, std::vector<int>{1, 6, 6, 2}, 8),
        std::tuple(std::vector<int32_t>{0, 0, 3, 0, 1, 1, 0, 0}, std::vector<int>{1, 7, 6, 2}, 7),
        std::tuple(std::vector<int32_t>{0, 0, 1, 1, 1, 1, 1, 0}, std::vector<int>{1, 6, 6, 3},
                   7)}) {
    GraphBuilder b;
    const int x = b.input({1, 4, 4, 2}, 0.5F, 7);
    const int fill = b.constant({1}, 0.5F, 7, {static_cast<uint8_t>(value)});
    const int padded =
        b.op(OperatorKind::kPadV2, {x, b.integers(paddings), fill}, {}, shape, 0.5F, 7);
    ConvAttributes valid;
    valid.padding = Padding::kValid;
    const int y = convolution(b, padded, shape[3], {0.01F, 0.02F}, 3,
                              {1, shape[1] - 2, shape[2] - 2, 2}, valid, 1, 5, 1);
    EXPECT_EQ(expect_same_outputs(b.finish({y}), "fuse-padding").ops.size(), 2u);
  }
}

TEST(AliasReshapes, ReshapeInTheMiddle_ExecutesNothing) {
  GraphBuilder b;
  const int x = b.input({1, 2, 3, 4}, 0.5F, 1);
  const int y = relu(b, x, {1, 2, 3, 4}, 0.5F, 1);
  const int z = b.op(OperatorKind::kReshape, {y, b.integers({4, 6})}, {}, {4, 6}, 0.5F, 1);
  const Graph graph = b.finish({b.op(OperatorKind::kTanh, {z}, {}, {4, 6}, 1.0F / 128, 0)});
  const IntegerNetwork network = expect_same_outputs(graph, "alias-reshapes");
  EXPECT_TRUE(std::get<CopyOp>(network.ops.at(1)).in_place);
  expect_same_outputs(graph, "");
}

TEST(ConstantChannels, ChannelOfVanishingScale_GoesIntoTheNextBias) {
  GraphBuilder b;
  const int x = b.input({1, 6, 6, 3}, 0.5F, -9);
  const int y = convolution(b, x, 3, {0.01F, 1e-20F, 0.02F, 1e-12F}, 3, {1, 6, 6, 4}, {}, 1, 5, 1);
  const int z = convolution(b, y, 4, {0.01F, 0.03F, 0.01F}, 1, {1, 6, 6, 3}, {}, 1, 2, 2);
  const Graph graph = b.finish({z});
  const IntegerNetwork network = expect_same_outputs(graph, "constant-channels");
  const Workload& first = std::get<KernelOp>(network.ops[0]).workload;
  EXPECT_EQ(first.out_c, 2);
  EXPECT_EQ(std::get<KernelOp>(network.ops[1]).workload.in_c, 2);
  EXPECT_EQ(network.graph.tensor(y).shape.back(), 2);
  EXPECT_TRUE(network.altered[static_cast<size_t>(y)]);
  EXPECT_EQ(network.model_macs[0], 2 * first.macs());
}

TEST(ConstantChannels, ConstantThatIsNotTheZeroPoint_StaysWhereTapsArePadded) {
  for (const bool padded : {false, true}) {
    GraphBuilder b;
    const int x = b.input({1, 6, 6, 3}, 0.5F, -9);
    ConvAttributes clamped;  // everything at or below zero: the zero point of y, 5
    clamped.activation = Activation::kRelu;
    const int y = convolution(b, x, 3, {0.01F, 1e-20F}, 1, {1, 6, 6, 2}, clamped, 1, 5, 1);
    ConvAttributes window;
    window.padding = padded ? Padding::kSame : Padding::kValid;
    const int side = padded ? 6 : 4;
    const int z = convolution(b, y, 2, {0.01F, 0.03F}, 3, {1, side, side, 2}, window, 1, 2, 2);
    Graph graph = b.finish({z});
    EXPECT_EQ(only(graph, "constant-channels").graph.tensor(y).shape.back(), 1) << padded;
    expect_same_outputs(graph, "constant-channels");
    // A bias moves the constant away from the zero point.
    GraphBuilder c;
    const int in = c.input({1, 6, 6, 3}, 0.5F, -9);
    const int weights = c.constant({2, 1, 1, 3}, 1, 0, {1, 2, 3, 0, 0, 0});
    const int bias = c.bias({0, 40}, 0.5F);
    const int mid = c.op(OperatorKind::kConv2d, {in, weights, bias}, clamped, {1, 6, 6, 2}, 1, 5);
    const int out = convolution(c, mid, 2, {0.01F, 0.03F}, 3, {1, side, side, 2}, window, 1, 2, 2);
    graph = c.finish({out});
    EXPECT_EQ(expect_same_outputs(graph, "constant-channels").graph.tensor(mid).shape.back(),
              padded ? 2 : 1);
  }
}

TEST(ConstantChannels, DeadDepthwiseChannel_TakesTheChannelItReadsAlong) {
  for (const int multiplier : {1, 2}) {
    GraphBuilder b;
    const int x = b.input({1, 5, 5, 2}, 0.5F, -9);
    const int y = convolution(b, x, 2, {0.01F, 0.02F, 0.01F}, 1, {1, 5, 5, 3}, {}, 1, 5, 1);
    std::vector<float> scales(static_cast<size_t>(3 * multiplier), 0.01F);
    std::fill_n(scales.begin() + multiplier, multiplier, 1e-20F);  // all made from channel 1
    const int z = depthwise(b, y, scales, {1, 5, 5, 3 * multiplier}, multiplier, 1, -128, 2);
    const int pooled = b.op(OperatorKind::kAveragePool2d, {z},
                            PoolAttributes{Padding::kValid, Activation::kNone, 1, 1, 5, 5},
                            {1, 1, 1, 3 * multiplier}, 1, -128);
    const int flat = b.op(OperatorKind::kReshape, {pooled, b.integers({1, 3 * multiplier})}, {},
                          {1, 3 * multiplier}, 1, -128);
    const int weights = b.constant({2, 3 * multiplier}, 0.01F, 0,
                                   random_weights(6u * static_cast<size_t>(multiplier), 3));
    const int out =
        b.op(OperatorKind::kFullyConnected, {flat, weights}, ActivationAttributes{}, {1, 2}, 1, 0);
    const IntegerNetwork network = expect_same_outputs(b.finish({out}), "constant-channels");
    EXPECT_EQ(std::get<KernelOp>(network.ops[0]).workload.out_c, 2);
    EXPECT_EQ(std::get<KernelOp>(network.ops[1]).workload.out_c, 2 * multiplier);
    EXPECT_EQ(std::get<PoolOp>(network.ops[2]).channels, 2 * multiplier);
    EXPECT_EQ(std::get<KernelOp>(network.ops[4]).workload.in_c, 2 * multiplier);
  }
}

TEST(ConstantChannels, ChannelThatAnotherReaderNeeds_Stays) {
  GraphBuilder b;
  const int x = b.input({1, 4, 4, 2}, 0.5F, -9);
  const int y = convolution(b, x, 2, {0.01F, 1e-20F}, 1, {1, 4, 4, 2}, {}, 1, 5, 1);
  const int z = convolution(b, y, 2, {0.01F, 0.03F}, 1, {1, 4, 4, 2}, {}, 1, 2, 2);
  const int sum = b.op(OperatorKind::kAdd, {y, z}, ActivationAttributes{}, {1, 4, 4, 2}, 1, 0);
  const IntegerNetwork network = expect_same_outputs(b.finish({sum}), "constant-channels");
  EXPECT_EQ(network.graph.tensor(y).shape.back(), 2);
}

TEST(ConstantChannels, NetworkOfNothingButConstants_KeepsOneChannel) {
  GraphBuilder b;
  const int x = b.input({1, 4, 4, 2}, 0.5F, -9);
  const int y = convolution(b, x, 2, {1e-20F, 1e-20F}, 1, {1, 4, 4, 2}, {}, 1, 5, 1);
  const int z = convolution(b, y, 2, {0.01F, 0.03F}, 1, {1, 4, 4, 2}, {}, 1, 2, 2);
  const IntegerNetwork network = expect_same_outputs(b.finish({z}), "constant-channels");
  EXPECT_EQ(network.graph.tensor(y).shape.back(), 1);
}

// A dense layer reads its input flat: its rows may be shorter than a pixel, or begin inside one.
TEST(ConstantChannels, DenseRowsThatAreNoPixels_KeepEveryChannel) {
  for (const int columns : {2, 3}) {
    GraphBuilder b;
    const int x = b.input({1, 3, 1, 2}, 0.5F, -9);
    const int y = convolution(b, x, 2, {0.01F, 1e-20F, 0.02F, 0.01F}, 1, {1, 3, 1, 4}, {}, 1, 5, 1);
    const int rows = 12 / columns;
    const int weights =
        b.constant({2, columns}, 0.01F, 0, random_weights(2u * static_cast<size_t>(columns), 3));
    const int z =
        b.op(OperatorKind::kFullyConnected, {y, weights}, ActivationAttributes{}, {rows, 2}, 1, 0);
    const IntegerNetwork network = expect_same_outputs(b.finish({z}), "constant-channels");
    EXPECT_EQ(network.graph.tensor(y).shape.back(), 4) << columns;
    const ValueRange from_live_channels = channel_ranges(network)[static_cast<size_t>(z)][0];
    EXPECT_FALSE(from_live_channels.is_constant());
  }
}

// Checks the analysis against computed values, on networks of random constants.
TEST(ChannelRanges, EveryValueSeen_LiesInItsRange) {
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    GraphBuilder b;
    std::mt19937 rng(seed);
    const auto zero_point = [&] { return static_cast<int>(rng() % 256) - 128; };
    const auto scales = [&](int n) {
      std::vector<float> some;
      for (int i = 0; i < n; ++i) some.push_back(std::ldexp(1.0F, -static_cast<int>(rng() % 24)));
      return some;
    };
    const int x = b.input({1, 5, 4, 3}, 0.5F, zero_point());
    const int y = convolution(b, x, 3, scales(4), 3, {1, 5, 4, 4}, {}, 1, zero_point(), seed);
    const int z = depthwise(b, y, scales(8), {1, 5, 4, 8}, 2, 1, zero_point(), seed + 100);
    const Graph graph = b.finish(
        {convolution(b, z, 8, scales(3), 1, {1, 5, 4, 3}, {}, 1, zero_point(), seed + 200)});
    const auto network = integer_network(graph);
    ASSERT_TRUE(network.has_value()) << network.error().message();
    const auto ranges = channel_ranges(*network);
    for (const uint32_t input_seed : {1u, 2u, 3u, 101u}) {
      const auto values = run_reference(graph, seeded_inputs(graph, input_seed));
      ASSERT_TRUE(values.has_value());
      for (size_t t = 0; t < ranges.size(); ++t)
        for (size_t i = 0; i < (*values)[t].size(); ++i) {
          const ValueRange& range = ranges[t][i % ranges[t].size()];
          const auto value = static_cast<int8_t>((*values)[t][i]);
          EXPECT_TRUE(range.low <= value && value <= range.high)
              << "seed " << seed << " tensor " << t << " element " << i;
        }
    }
  }
}

}  // namespace
}  // namespace tinytune
