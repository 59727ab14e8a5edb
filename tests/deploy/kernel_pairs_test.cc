// Layers of one workload whose weights permit different kernels.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "base/rng.h"
#include "deploy/selection/fitting.h"
#include "tests/codegen/graph_builder.h"
#include "tests/codegen/network_run.h"

namespace tinytune {
namespace {

// A chain of dense layers, 64 to 64. Weights of the layers in `wide` need wider sums.
Graph dense_chain(int layers, const std::set<int>& wide) {
  test::GraphBuilder b;
  Rng rng(11);
  int x = b.input({1, 64}, 0.1F, 0);
  for (int layer = 0; layer < layers; ++layer) {
    const int largest = wide.contains(layer) ? 127 : 50;
    std::vector<uint8_t> weights;
    for (int i = 0; i < 64 * 64; ++i)
      weights.push_back(static_cast<uint8_t>(
          static_cast<int>(rng.below(static_cast<uint64_t>(2 * largest + 1))) - largest));
    const ActivationAttributes a{Activation::kRelu};
    x = b.op(OperatorKind::kFullyConnected, {x, b.constant({64, 64}, 0.01F, 0, weights), -1}, a,
             {1, 64}, 0.1F, -128);
    x = b.op(OperatorKind::kQuantize, {x}, {}, {1, 64}, 0.1F, 0);
  }
  return b.finish({x});
}

GeneratedNetwork fitted(const Graph& graph, const KernelLimits& limits) {
  auto made = generate_within(test::executed(graph), *load_device("rv32imc"), Records(), limits,
                              {.name = "net"});
  EXPECT_TRUE(made) << made.error().message();
  return std::move(*made);
}

std::vector<Schedule> schedules_of(const GeneratedNetwork& network) {
  std::vector<Schedule> all;
  for (const GeneratedLayer& layer : network.layers)
    if (layer.schedule) all.push_back(*layer.schedule);
  return all;
}

TEST(KernelPairs, LayersWhoseWeightsForbidTheFastestKernel_HaveAnother) {
  const Graph graph = dense_chain(4, {2});
  const GeneratedNetwork network = fitted(graph, {});
  const auto schedules = schedules_of(network);
  ASSERT_EQ(schedules.size(), 4u);
  EXPECT_EQ(schedules[0], schedules[1]);
  EXPECT_EQ(schedules[0], schedules[3]);
  EXPECT_NE(schedules[0], schedules[2]);
  EXPECT_TRUE(network.warnings.empty());
  test::expect_exact(graph, *load_device("rv32imc"), test::seeded_inputs(graph, 9));
}

TEST(KernelPairs, AFirstLayerThatForbidsIt_DoesNotHideItFromTheOthers) {
  const auto schedules = schedules_of(fitted(dense_chain(4, {0}), {}));
  ASSERT_EQ(schedules.size(), 4u);
  EXPECT_NE(schedules[0], schedules[1]);
  EXPECT_EQ(schedules[1], schedules[3]);
}

}  // namespace
}  // namespace tinytune
