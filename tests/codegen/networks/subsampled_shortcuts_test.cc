// Shortcuts that read copies of a few pixels: smaller arenas, the same bytes.
#include "codegen/networks/subsampled_shortcuts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "codegen/networks/executed_graph.h"
#include "codegen/networks/network_memory.h"
#include "tests/codegen/network_run.h"
#include "tests/codegen/strips/image_chains.h"

namespace tinytune {
namespace {

using test::downsampling_block;
using test::executed;
using test::expect_exact;
using test::ImageChain;
using test::seeded_inputs;
using testing::ElementsAre;

NetworkOptions early(std::vector<StripGroup> strips = {}) {
  return {.name = "net", .early_shortcuts = true, .strips = std::move(strips)};
}

std::vector<int> early_order_of(const Graph& graph) {
  std::vector<int> order;
  for (const Operator& op : laid_out(executed(graph), early()).graph.operators)
    order.push_back(op.index);
  return order;
}

// Returns the operators in the model's order, with copies for shortcuts.
LaidOutGraph subsampled(const Graph& graph) {
  const IntegerNetwork network = executed(graph);
  LaidOutGraph laid = lay_out(network.graph, network.ops, {});
  subsample_shortcuts(laid);
  return laid;
}

TEST(SubsampledShortcuts, CopyIsMadeBeforeTheLayersAround_AndConvolutionStaysBehindThem) {
  EXPECT_THAT(early_order_of(downsampling_block(1)), ElementsAre(0, kTransformIndex, 1, 2, 3, 4));
}

TEST(SubsampledShortcuts, CopyHoldsThePixelsOfTheStride) {
  const LaidOutGraph laid = subsampled(downsampling_block(1));
  ASSERT_EQ(laid.graph.operators[3].index, kTransformIndex);
  const Operator& copy = laid.graph.operators[3];
  EXPECT_EQ(laid.graph.tensor(copy.inputs[0]).bytes(), 16 * 16 * 16);
  EXPECT_EQ(laid.graph.tensor(copy.outputs[0]).bytes(), 8 * 8 * 16);
  EXPECT_EQ(laid.graph.operators[4].inputs[0], copy.outputs[0]);
}

TEST(SubsampledShortcuts, WithAndWithoutStrips_AreExact) {
  const Graph graph = downsampling_block(2);
  for (const char* device : {"rv32imc", "cortex-m4"}) {
    const auto inputs = seeded_inputs(graph, 3);
    expect_exact(graph, *load_device(device), inputs, early());
    expect_exact(graph, *load_device(device), inputs, early({{1, 1, 3}, {2, 2, 4}}));
  }
}

TEST(SubsampledShortcuts, OddSizesAndUnequalStrides_AreExact) {
  ImageChain chain(15, 9, 3, 4);
  const int trunk = chain.conv(6, {.kernel = 3});
  const int body = chain.conv(8, {.kernel = 5, .stride = 3});
  chain.go_back_to(trunk);
  chain.conv(8, {.kernel = 1, .stride = 3});
  chain.add(body);
  const Graph graph = chain.finish();
  expect_exact(graph, *load_device("rv32imc"), seeded_inputs(graph, 3), early());
}

TEST(SubsampledShortcuts, ConvolutionThatReadsAllPixels_GetsNoCopy) {
  EXPECT_THAT(early_order_of(test::residual_block(1)), ElementsAre(0, 1, 2, 3));
}

TEST(SubsampledShortcuts, ConvolutionThatReadsAlone_GetsNoCopy) {
  ImageChain chain(16, 16, 4, 5);
  chain.conv(8, {.kernel = 3});
  chain.conv(8, {.kernel = 1, .stride = 2});
  EXPECT_THAT(early_order_of(chain.finish()), ElementsAre(0, 1));
}

TEST(SubsampledShortcuts, LayersAroundGetRoom) {
  const IntegerNetwork network = executed(downsampling_block(1));
  const auto live_at_2 = [&](const NetworkOptions& options) {
    for (const NetworkMemory::Layer& layer : network_memory(network, options).layers)
      if (layer.index == 2) return layer.live_bytes;
    return 0u;
  };
  // Both tensors of the layer, and the live shortcut: its result, or a quarter of the trunk.
  EXPECT_EQ(live_at_2({.name = "net"}), 8u * 8 * (32 + 32 + 32));
  EXPECT_EQ(live_at_2(early()), 8u * 8 * (32 + 32 + 16));
}

TEST(EarlyShortcuts, GroupMayGoAroundAShortcutThatTheModelHasInside) {
  ImageChain chain(16, 16, 4, 6);
  const int trunk = chain.conv(16, {.kernel = 3});
  chain.conv(8, {.kernel = 3});                   // 1
  const int body = chain.conv(8, {.kernel = 3});  // 2
  chain.go_back_to(trunk);
  const int shortcut = chain.conv(8, {.kernel = 1});  // 3
  chain.go_back_to(body);
  chain.conv(8, {.kernel = 3});  // 4
  chain.add(shortcut);
  const Graph graph = chain.finish();
  const std::vector<StripGroup> groups = {{1, 4, 4}};
  EXPECT_FALSE(strip_flows(graph_of_groups(executed(graph), {.name = "net"}), groups));
  expect_exact(graph, *load_device("rv32imc"), seeded_inputs(graph, 3), early(groups));
}

}  // namespace
}  // namespace tinytune
