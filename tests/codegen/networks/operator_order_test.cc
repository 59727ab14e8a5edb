#include "codegen/networks/operator_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codegen/networks/executed_graph.h"
#include "codegen/networks/network_memory.h"
#include "codegen/passes/passes.h"
#include "tests/codegen/graph_builder.h"

namespace tinytune {
namespace {

using test::GraphBuilder;
using testing::ElementsAre;

int pointwise(GraphBuilder& b, int input, int from, int to) {
  const std::vector<uint8_t> data(static_cast<size_t>(from * to), 3);
  const int weights = b.constant({to, 1, 1, from}, 0.02F, 0, data);
  return b.op(OperatorKind::kConv2d, {input, weights, -1}, ConvAttributes{}, {1, 8, 8, to}, 0.1F,
              0);
}

int sum(GraphBuilder& b, int left, int right) {
  return b.op(OperatorKind::kAdd, {left, right}, ActivationAttributes{}, {1, 8, 8, 4}, 0.1F, 0);
}

// A residual block as converters write it: the shortcut, operator 3, stands behind the layers that
// it goes around.
Graph residual_block() {
  GraphBuilder b;
  const int x = pointwise(b, b.input({1, 8, 8, 4}, 0.1F, 0), 4, 16);
  const int y = pointwise(b, pointwise(b, x, 16, 4), 4, 4);
  return b.finish({sum(b, y, pointwise(b, x, 16, 4))});
}

NetworkOptions options_with(std::vector<StripGroup> groups) {
  NetworkOptions options;
  options.name = "net";
  options.strips = std::move(groups);
  return options;
}

std::vector<int> order_of(const Graph& graph, std::vector<StripGroup> groups = {},
                          const std::vector<std::string>& disabled = {}) {
  const auto network = executed_network(graph, disabled);
  EXPECT_TRUE(network) << network.error().message();
  std::vector<int> order;
  for (const Operator& op : laid_out(*network, options_with(std::move(groups))).graph.operators)
    order.push_back(op.index);
  return order;
}

TEST(OperatorOrder, Shortcut_RunsBeforeTheLayersThatItGoesAround) {
  EXPECT_THAT(order_of(residual_block()), ElementsAre(0, 3, 1, 2, 4));
  EXPECT_THAT(order_of(residual_block(), {}, {"operator-order"}), ElementsAre(0, 1, 2, 3, 4));
}

TEST(OperatorOrder, Shortcut_LeavesLaterLayersRoom) {
  const auto network = executed_network(residual_block());
  ASSERT_TRUE(network);
  const NetworkMemory memory = network_memory(*network, options_with({}));
  ASSERT_EQ(memory.layers.back().index, 2);
  EXPECT_EQ(memory.layers.back().live_bytes, 3 * 8 * 8 * 4u);
  EXPECT_EQ(memory.lower_bound, 8u * 8 * (16 + 4 + 4));
}

TEST(OperatorOrder, GroupOfStrips_StaysTogetherInTheModelsOrder) {
  EXPECT_THAT(order_of(residual_block(), {{1, 4, 2}}), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(order_of(residual_block(), {{1, 2, 2}}), ElementsAre(0, 3, 1, 2, 4));
}

TEST(OperatorOrder, BranchThatMakesMoreThanItEnds_StaysWhereItIs) {
  GraphBuilder b;
  const int x = b.input({1, 8, 8, 4}, 0.1F, 0);
  const int y = pointwise(b, pointwise(b, x, 4, 8), 8, 4);
  const int wide = pointwise(b, pointwise(b, x, 4, 16), 16, 4);
  EXPECT_THAT(order_of(b.finish({sum(b, y, wide)})), ElementsAre(0, 1, 2, 3, 4));
}

TEST(OperatorOrder, VariablesAreReadAndWrittenInTheModelsOrder) {
  IntegerNetwork network = *integer_network(residual_block());
  network.graph.tensors[0].is_variable = true;
  for (const GraphPass& pass : graph_passes()) pass.run(network);
  EXPECT_FALSE(network.may_reorder);
}

}  // namespace
}  // namespace tinytune
