// Which layers' weights arrive in the background: those that earlier layers hide; and on two cores.
#include "deploy/deployment/arrival_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/files.h"
#include "base/temporary_directory.h"
#include "codegen/passes/passes.h"
#include "examples/tflite_writer.h"
#include "tests/codegen/graph_builder.h"
#include "tinytune/deploy.h"
#include "tinytune/model.h"

namespace tinytune::test {
namespace {

Graph dense_layers(const std::vector<int>& channels) {
  GraphBuilder b;
  int at = b.input({1, channels[0]}, 0.5F, -128);
  for (size_t i = 1; i < channels.size(); ++i) {
    std::vector<uint8_t> bytes;
    for (int k = 0; k < channels[i - 1] * channels[i]; ++k)
      bytes.push_back(static_cast<uint8_t>((k * 7 + static_cast<int>(i)) % 31 - 15));
    const int weights = b.constant({channels[i], channels[i - 1]}, 0.02F, 0, std::move(bytes));
    at = b.op(OperatorKind::kFullyConnected, {at, weights}, ActivationAttributes{},
              {1, channels[i]}, 8, 3);
  }
  return b.finish({at});
}

// Returns the steps whose weights still arrive: four layers of 4096 bytes, at 11 cycles a byte,
// that compute for `cycles`.
std::vector<int> kept(double cycles_per_byte, const std::vector<uint64_t>& cycles) {
  const auto executed = executed_network(dense_layers({64, 64, 64, 64, 64}));
  EXPECT_TRUE(executed) << executed.error().message();
  const LaidOutGraph graph = laid_out(*executed, {.name = "net"});
  GeneratedNetwork network;
  RunReport ran;
  for (size_t i = 0; i < cycles.size(); ++i) {
    const int index = static_cast<int>(i);
    network.layers.push_back({.index = index, .symbol = "f" + std::to_string(i)});
    ran.layers.push_back({.index = index, .cycles = cycles[i]});
  }
  const ArrivalWay way = load_arrival_ways("rp2040")->front();
  ArrivalPlan plan = ArrivalPlan::of_all(graph, network, ran, way);
  plan.keep_hidden(cycles_per_byte);
  std::vector<int> steps;
  for (const ArrivingLayer& layer : plan.layers()) steps.push_back(layer.step);
  return steps;
}

TEST(ArrivalPlan, KeepsLayersThatEarlierOnesHide) {
  EXPECT_THAT(kept(1, {100'000, 1000, 50'000, 1000}), testing::ElementsAre(1, 3));
  EXPECT_THAT(kept(1, {1000, 1000, 1000, 1000}), testing::IsEmpty());
}

TEST(ArrivalPlan, KeepsLayersThatNothingHides_WhereTheirBytesAreWorthIt) {
  EXPECT_THAT(kept(12, {1000, 1000, 1000, 1000}), testing::ElementsAre(0, 1, 2, 3));
}

TEST(ArrivalPlan, EachTransferSetsOutOnceTheOneBeforeHasEnded) {
  const auto executed = executed_network(dense_layers({64, 64, 64, 64}));
  const LaidOutGraph graph = laid_out(*executed, {.name = "net"});
  GeneratedNetwork network;
  RunReport ran;
  for (int i = 0; i < 3; ++i) {
    network.layers.push_back({.index = i, .symbol = "f" + std::to_string(i)});
    ran.layers.push_back({.index = i, .cycles = 40'000});
  }
  const ArrivalWay way = load_arrival_ways("rp2040")->front();
  const Arrivals all = ArrivalPlan::of_all(graph, network, ran, way).arrivals();
  EXPECT_EQ(all.layers, (std::vector<ArrivingLayer>{{0, 1, 0}, {1, 1, 0}, {2, 1, 1}}));
}

// 54 KiB of weights do not find room in 48 KiB, and both cores wait for the rest.
Graph convolutions() {
  GraphBuilder b;
  int at = b.input({1, 4, 4, 32}, 0.05F, -3);
  for (int layer = 0; layer < 6; ++layer) {
    std::vector<uint8_t> bytes;
    for (int k = 0; k < 32 * 3 * 3 * 32; ++k)
      bytes.push_back(static_cast<uint8_t>((k * 7 + layer) % 31 - 15));
    const int weights = b.constant({32, 3, 3, 32}, 0.002F, 0, std::move(bytes));
    at = b.op(OperatorKind::kConv2d, {at, weights}, ConvAttributes{}, {1, 4, 4, 32}, 0.05F, -3);
  }
  return b.finish({at});
}

TEST(ArrivalPlan, TwoCoresWhoseWeightsStream_AreExactAndFaster) {
  const auto folder = TemporaryDirectory::create("arriving");
  ASSERT_TRUE(folder);
  const Graph graph = convolutions();
  ASSERT_TRUE(write_file(folder->file("net.tflite"), text_of(write_tflite(graph))));
  const auto model = Model::load(folder->file("net.tflite"));
  ASSERT_TRUE(model) << model.error().message();
  RunOptions options;
  options.verify = true;
  options.cores = 2;
  options.limits.fast_ram_bytes = kAllFastRam;
  options.limits.ram_bytes = 48 * 1024;
  const auto waits = run_model(*model, "rp2040", options);
  ASSERT_TRUE(waits) << waits.error().message();
  options.arrival = "stream";
  const auto streams = run_model(*model, "rp2040", options);
  ASSERT_TRUE(streams) << streams.error().message();
  EXPECT_EQ(streams->exact, true);
  EXPECT_LT(streams->footprint.cycles, waits->footprint.cycles);
  int shared = 0;
  for (const LayerCost& layer : streams->layers)
    shared += layer.arriving_blocks > 0 && layer.cores == 2 ? 1 : 0;
  EXPECT_GT(shared, 0);
  options.arrival = "burst";
  const auto bursts = run_model(*model, "rp2040", options);
  ASSERT_FALSE(bursts);
  EXPECT_THAT(bursts.error().message(), testing::HasSubstr("keeps flash from the other core"));
}

}  // namespace
}  // namespace tinytune::test
