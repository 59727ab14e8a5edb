// Restated layers: another workload, the same bytes.
#include "codegen/passes/restate_layers.h"

#include <gtest/gtest.h>

#include <random>

#include "codegen/networks/layout.h"
#include "codegen/passes/passes.h"
#include "models/workload_description.h"
#include "tests/codegen/graph_builder.h"
#include "tests/codegen/network_run.h"

namespace tinytune {
namespace {

using test::Bytes;
using test::expect_exact;
using test::GraphBuilder;
using test::seeded_inputs;

Bytes random_bytes(int count, uint32_t seed) {
  std::mt19937 rng(seed);
  Bytes bytes(static_cast<size_t>(count));
  for (uint8_t& b : bytes) b = static_cast<uint8_t>(rng());
  return bytes;
}

int product(const std::vector<int>& shape) {
  int elements = 1;
  for (const int extent : shape) elements *= extent;
  return elements;
}

// An operator with weights of per-channel scales and a bias.
struct Layer {
  OperatorKind kind = OperatorKind::kConv2d;
  std::vector<int> input, weights, output;
  ConvAttributes attributes = {};
};

int append(GraphBuilder& b, int at, const Layer& layer, uint32_t seed) {
  const int axis = layer.kind == OperatorKind::kDepthwiseConv2d ? 3 : 0;
  const int channels = layer.weights[static_cast<size_t>(axis)];
  const int weights = b.constant(layer.weights, 1, 0, random_bytes(product(layer.weights), seed));
  std::vector<float> scales;
  std::vector<int32_t> bias;
  for (int c = 0; c < channels; ++c) {
    scales.push_back(0.002F + 0.0003F * static_cast<float>(c % 7));
    bias.push_back(c * 97 - 300);
  }
  b.scales(weights, scales, axis);
  const Attributes attributes = layer.kind == OperatorKind::kFullyConnected
                                    ? Attributes(ActivationAttributes{})
                                    : Attributes(layer.attributes);
  return b.op(layer.kind, {at, weights, b.bias(bias, 0.001F)}, attributes, layer.output, 0.5F, -3);
}

Graph graph_of(const Layer& layer) {
  GraphBuilder b;
  return b.finish({append(b, b.input(layer.input, 0.5F, 11), layer, 5)});
}

void expect_restated(const Layer& layer, const std::string& description) {
  SCOPED_TRACE(description);
  const Graph graph = graph_of(layer);
  const auto network = executed_network(graph);
  ASSERT_TRUE(network.has_value()) << network.error().message();
  EXPECT_EQ(short_name(std::get<KernelOp>(network->ops.at(0)).workload), description);
  for (const char* device : {"cortex-m4", "rv32imc"})
    expect_exact(graph, *load_device(device), seeded_inputs(graph, 3));
}

constexpr auto kConv = OperatorKind::kConv2d, kDepthwise = OperatorKind::kDepthwiseConv2d,
               kDense = OperatorKind::kFullyConnected;

TEST(RestateLayers, RowsOfAMatrix_ArePixels) {
  expect_restated({kDense, {6, 12}, {8, 12}, {6, 8}}, "conv2d 1x1 12->8 @1x6");
  expect_restated({kDense, {1, 2, 3, 12}, {7, 12}, {1, 2, 3, 7}}, "conv2d 1x1 12->7 @1x6");
  expect_restated({kDense, {1, 12}, {8, 12}, {1, 8}}, "dense 12->8");
}

TEST(RestateLayers, DepthwiseColumnOfPixels_IsTurned) {
  expect_restated({kDepthwise, {1, 21, 1, 8}, {1, 9, 1, 8}, {1, 21, 1, 8}},
                  "depthwise 1x9 8->8 @1x21");
  expect_restated(
      {kDepthwise, {1, 21, 1, 8}, {1, 3, 1, 8}, {1, 11, 1, 8}, {.stride_h = 2, .stride_w = 2}},
      "depthwise 1x3 8->8 @1x11 /1x2");
  expect_restated({kConv, {1, 21, 1, 8}, {12, 3, 1, 8}, {1, 21, 1, 12}}, "conv2d 3x1 8->12 @21x1");
  // Its columns pad.
  expect_restated({kDepthwise, {1, 5, 1, 8}, {1, 3, 3, 8}, {1, 5, 1, 8}},
                  "depthwise 3x3 8->8 @5x1");
}

TEST(RestateLayers, OneChannelThatIsMultiplied_IsAConvolution) {
  expect_restated({kDepthwise, {1, 9, 8, 1}, {1, 4, 3, 8}, {1, 9, 8, 8}, {.depth_multiplier = 8}},
                  "conv2d 4x3 1->8 @9x8");
  expect_restated({kDepthwise, {1, 9, 8, 2}, {1, 3, 3, 4}, {1, 9, 8, 4}, {.depth_multiplier = 2}},
                  "depthwise 3x3 2->4 @9x8");
}

TEST(RestateLayers, GroupsOfOneChannel_AreDepthwise) {
  expect_restated({kConv, {1, 5, 6, 8}, {8, 3, 3, 1}, {1, 5, 6, 8}}, "depthwise 3x3 8->8 @5x6");
  expect_restated({kConv, {1, 5, 6, 4}, {8, 3, 3, 1}, {1, 5, 6, 8}}, "depthwise 3x3 4->8 @5x6");
}

TEST(RestateLayers, DilationAlongARow_IsFoldedWhereItFits) {
  expect_restated({kConv, {1, 1, 24, 8}, {8, 1, 3, 8}, {1, 1, 24, 8}, {.dilation_w = 4}},
                  "conv2d 3x1 8->8 @6x4");
  expect_restated({kConv, {1, 24, 1, 8}, {8, 3, 1, 8}, {1, 24, 1, 8}, {.dilation_h = 3}},
                  "conv2d 3x1 8->8 @24x1");
  const Layer does_not_fit{kConv, {1, 1, 26, 8}, {8, 1, 3, 8}, {1, 1, 26, 8}, {.dilation_w = 4}};
  expect_exact(graph_of(does_not_fit), *load_device("cortex-m4"),
               seeded_inputs(graph_of(does_not_fit), 3));
}

TEST(RestateLayers, NchwAndSwitchedOff_StayAsTheyAre) {
  Workload w;
  w.layout = Layout::kNchw;
  w.op = OpKind::kDepthwiseConv2d;
  w.in_h = w.out_h = 4;
  EXPECT_EQ(restated({w, {}}).workload, w);
  const std::vector<std::string> disabled = {"restate-layers"};
  const auto network = executed_network(graph_of({kDense, {6, 12}, {8, 12}, {6, 8}}), disabled);
  ASSERT_TRUE(network.has_value());
  EXPECT_EQ(std::get<KernelOp>(network->ops[0]).workload.op, OpKind::kDense);
}

// Strips count the rows of tensors, whether layers are turned or not.
TEST(RestateLayers, TurnedColumns_RunInStrips) {
  GraphBuilder b;
  const int x = b.input({1, 40, 1, 8}, 0.5F, 11);
  const int y = append(b, x, {kConv, {}, {16, 5, 1, 8}, {1, 40, 1, 16}}, 1);
  const int z = append(b, y, {kDepthwise, {}, {1, 3, 1, 16}, {1, 20, 1, 16}, {.stride_h = 2}}, 2);
  const Graph graph = b.finish({append(b, z, {kConv, {}, {4, 1, 1, 16}, {1, 20, 1, 4}}, 3)});
  for (const int rows : {1, 3})
    for (const char* device : {"cortex-m4", "rv32imc"})
      expect_exact(graph, *load_device(device), seeded_inputs(graph, 3),
                   {.name = "net", .strips = {{0, 2, rows}}});
}

// A matrix has its channels innermost whatever the layout of images.
TEST(RestateLayers, AllInNchw_IsExact) {
  GraphBuilder b;
  const int x = b.input({2, 3, 1, 8}, 0.5F, 11);
  const int y = append(b, x, {kDense, {}, {12, 8}, {2, 3, 1, 12}}, 1);
  const Graph graph = b.finish({append(b, y, {kDense, {}, {5, 12}, {6, 5}}, 2)});
  const NetworkOptions all_nchw{.name = "net",
                                .layouts = [](const Graph& g, std::span<const IntegerOp> ops) {
                                  return choose_layouts(g, ops, all_nchw_costs()).layouts;
                                }};
  expect_exact(graph, *load_device("rv32imc"), seeded_inputs(graph, 3), all_nchw);
}

}  // namespace
}  // namespace tinytune
