// Whole networks with groups of strips: the same bytes as layer by layer, in a smaller arena.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codegen/networks/network.h"
#include "examples/ds_cnn.h"
#include "tests/codegen/network_run.h"
#include "tests/codegen/strips/image_chains.h"

namespace tinytune {
namespace {

using test::executed;
using test::expect_exact;
using test::ImageChain;
using test::seeded_inputs;
using testing::HasSubstr;

uint32_t arena_of(const Graph& graph, const std::vector<StripGroup>& strips) {
  const auto network = generate_network(executed(graph), *load_device("rv32imc"), {},
                                        {.name = "net", .strips = strips});
  EXPECT_TRUE(network.has_value()) << network.error().message();
  return network ? network->arena_bytes : 0;
}

void expect_strips_exact(const Graph& graph, const std::vector<StripGroup>& strips,
                         const char* device = "rv32imc") {
  expect_exact(graph, *load_device(device), seeded_inputs(graph, 3),
               {.name = "net", .strips = strips});
}

TEST(Strips, ChainOfConvolutions_AnyHeight_IsExact) {
  const Graph graph = test::mobile_chain(1);
  for (const int rows : {1, 2, 7}) {
    SCOPED_TRACE(rows);
    expect_strips_exact(graph, {{0, 4, rows}});
  }
  expect_strips_exact(graph, {{0, 4, 3}}, "cortex-m4");
}

TEST(Strips, OutputRunsIntoItsInput_IsExact) {
  const Graph graph = test::mobile_chain(2);
  expect_strips_exact(graph, {{0, 0, 2}, {1, 1, 3}, {2, 4, 1}});
  EXPECT_LT(arena_of(graph, {{0, 0, 2}, {1, 2, 2}}), arena_of(graph, {{0, 0, 2}}));
}

TEST(Strips, InputMovedAwayFirst_KeepsItsPlaceBesideAnotherInput) {
  ImageChain chain(16, 16, 5, 3);
  chain.conv(4, {.kernel = 1});
  chain.add(chain.another_input());
  expect_strips_exact(chain.finish(), {{0, 0, 4}});
}

TEST(Strips, ResidualBlock_SumsOverItsInput_IsExact) {
  const Graph graph = test::residual_block(1);
  expect_strips_exact(graph, {{1, 3, 2}});
  expect_strips_exact(graph, {{0, 3, 5}});
  expect_strips_exact(graph, {{1, 3, 1}}, "cortex-m4");
  EXPECT_LT(arena_of(graph, {{1, 3, 1}}) * 10, arena_of(graph, {}) * 7);
}

TEST(Strips, PoolsAndActivations_AreExact) {
  ImageChain chain(15, 8, 4, 4);
  const int trunk = chain.conv(8, {.kernel = 3});
  chain.pool({.kernel = 3}, /*average=*/true);
  chain.relu6();
  chain.add(trunk);
  chain.pool({.kernel = 2, .stride = 2, .padding = Padding::kValid}, /*average=*/false);
  const Graph graph = chain.finish();
  const int last = static_cast<int>(graph.operators.size()) - 1;
  expect_strips_exact(graph, {{0, last, 3}});
}

TEST(Strips, GroupWithoutKernels_IsExact) {
  ImageChain chain(10, 8, 4, 6);
  chain.pool({.kernel = 3}, /*average=*/true);
  chain.pool({.kernel = 3}, /*average=*/false);
  expect_strips_exact(chain.finish(), {{0, 1, 3}});
}

// A stride above the kernel skips rows, which nobody computes.
TEST(Strips, RowsThatStridesSkip_AreExact) {
  ImageChain chain(16, 8, 4, 5);
  chain.conv(4, {.kernel = 3});
  chain.conv(4, {.kernel = 1, .stride = 3});
  chain.conv(4, {.kernel = 1, .stride = 2});
  expect_strips_exact(chain.finish(), {{0, 2, 1}});
}

TEST(Strips, KeywordSpotting_TakesThreeTenthsLess) {
  const Graph graph = make_ds_cnn(1);
  const std::vector<StripGroup> strips = {{1, 2, 4}, {3, 4, 4}, {5, 6, 4}, {7, 8, 4}};
  expect_exact(graph, *load_device("rv32imc"), seeded_inputs(graph, 100),
               {.name = "net", .strips = strips});
  // Tensors take a third less; staged inputs of kernels take as much as before.
  EXPECT_LT(arena_of(graph, strips) * 10, arena_of(graph, {}) * 7);
}

TEST(Strips, GroupIsOneFunction_ThatItsOperatorsName) {
  const Graph graph = test::mobile_chain(1);
  const auto network = generate_network(executed(graph), *load_device("rv32imc"), {},
                                        {.name = "net", .strips = {{1, 3, 2}}});
  ASSERT_TRUE(network.has_value());
  EXPECT_EQ(network->layers[1].symbol, "net_layers_1_3");
  EXPECT_EQ(network->layers[2].symbol, "");
  EXPECT_EQ(network->layers[3].fused_into, 1);
  EXPECT_THAT(network->functions[1].body, HasSubstr("for (int32_t turn = 0;"));
}

TEST(Strips, GroupsThatOverlap_AreRefused) {
  const auto network = generate_network(executed(test::mobile_chain(1)), *load_device("rv32imc"),
                                        {}, {.name = "net", .strips = {{0, 2, 2}, {2, 4, 2}}});
  ASSERT_FALSE(network.has_value());
  EXPECT_THAT(network.error().message(), HasSubstr("in two groups of strips"));
}

}  // namespace
}  // namespace tinytune
