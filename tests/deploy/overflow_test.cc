// Weights that do not fit beside the arena: where they go, and what their bytes cost there.
#include "deploy/selection/overflow.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/files.h"
#include "base/temporary_directory.h"
#include "examples/tflite_writer.h"
#include "templates/kernel_template.h"
#include "tests/codegen/graph_builder.h"
#include "tinytune/deploy.h"
#include "tinytune/model.h"

namespace tinytune::test {
namespace {

constexpr int kManyInputs = 512, kOutputs = 256, kLayers = 2;  // 128 KiB of weights each

Graph two_large_layers() {
  GraphBuilder b;
  const int x = b.input({1, kManyInputs}, 0.5F, -128);
  std::vector<int> outputs;
  for (int i = 0; i < kLayers; ++i) {
    std::vector<uint8_t> bytes;
    for (int k = 0; k < kManyInputs * kOutputs; ++k)
      bytes.push_back(static_cast<uint8_t>((k * 7 + i) % 31 - 15));
    const int weights = b.constant({kOutputs, kManyInputs}, 0.02F, 0, std::move(bytes));
    outputs.push_back(b.op(OperatorKind::kFullyConnected, {x, weights}, ActivationAttributes{},
                           {1, kOutputs}, 8, 3));
  }
  return b.finish(outputs);
}

TEST(Overflow, WeightsFillThePreferredMemoryThenTheNext_AndRamIsBoth) {
  const auto folder = TemporaryDirectory::create("overflow");
  ASSERT_TRUE(folder);
  ASSERT_TRUE(write_file(folder->file("net.tflite"), text_of(write_tflite(two_large_layers()))));
  const auto model = Model::load(folder->file("net.tflite"));
  ASSERT_TRUE(model) << model.error().message();
  RunOptions options;
  options.verify = true;
  options.limits.fast_ram_bytes = kAllFastRam;
  const auto ran = run_model(*model, "stm32l4r5", options);
  ASSERT_TRUE(ran) << ran.error().message();
  EXPECT_EQ(ran->exact, true);
  std::vector<std::string> homes;
  for (const LayerCost& layer : ran->layers) homes.push_back(layer.weights_memory);
  std::sort(homes.begin(), homes.end());
  // The rest of SRAM1 holds the other layer's biases and scales.
  EXPECT_EQ(homes, (std::vector<std::string>{"sram1", "sram1+sram3"}));
  const Footprint& takes = ran->footprint;
  EXPECT_GE(takes.weights_beside_arena_bytes, uint64_t{kManyInputs} * kOutputs);
  EXPECT_GE(takes.weights_bytes - takes.weights_beside_arena_bytes,
            uint64_t{kManyInputs} * kOutputs);
}

class OverflowCosts : public testing::Test {
 protected:
  /// Costs of a layer with 100 bytes in `home` that took `cycles`; its record, if any, has 1000.
  FlashWaits costs(const std::string& home, uint64_t cycles, bool has_record = true) const {
    NetworkMemory memory;
    memory.layers.push_back({.index = 4});
    memory.layers[0].op.workload = workload_;
    const Schedule schedule = *default_schedule_of(workload_, device_);
    GeneratedNetwork network;
    network.layers.push_back({.index = 4, .symbol = "f", .schedule = schedule});
    network.placeable = {{"weights", false, 60, {"f"}},
                         {"params", false, 40, {"f"}},
                         {"kernel", true, 0, {"f"}},
                         {"others", false, 5000, {"g"}}};
    RunReport ran;
    ran.layers.push_back({.index = 4, .cycles = cycles, .weights_memory = home});
    Records records;
    if (has_record) {
      Measurement m;
      m.workload = to_text(workload_);
      m.schedule = to_text(schedule);
      m.outcome = Outcome::kOk;
      m.cycles = {1000};
      records.add(m);
    }
    return overflow_costs(memory, network, ran, device_, records);
  }

  const Device device_ = *load_device("stm32l4r5");
  const Workload workload_ = *parse_workload(
      "dense_s8 nhwc n1 in1x1x4 out1x1x2 k1x1 s1x1 d1x1 p0,0 g1 m1 zp0,0 act-128,127 lane1 long");
};

TEST_F(OverflowCosts, AreWhatItTookBeyondItsRecord_AByte) {
  EXPECT_EQ(costs("sram3", 1250), (FlashWaits{{4, 2.5}}));
  EXPECT_EQ(costs("sram1+sram3", 1250), (FlashWaits{{4, 2.5}}));
}

TEST_F(OverflowCosts, AreNoneInThePreferredMemory_WithoutARecordOrALoss) {
  EXPECT_TRUE(costs("sram1", 1250).empty());
  EXPECT_TRUE(costs("", 1250).empty());
  EXPECT_TRUE(costs("sram3", 1250, false).empty());
  EXPECT_TRUE(costs("sram3", 990).empty());
}

}  // namespace
}  // namespace tinytune::test
