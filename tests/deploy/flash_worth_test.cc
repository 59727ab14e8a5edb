// Which kernels of a log are worth the flash that they take.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "deploy/selection/fitting.h"
#include "tests/codegen/graph_builder.h"
#include "tests/codegen/network_run.h"

namespace tinytune {
namespace {

constexpr int kSize = 64;
constexpr const char* kFirst = "wide_dense/1 channels=32 words=17 step=2 scale=layer";
constexpr const char* kFast = "wide_dense/1 channels=32 words=17 step=8 scale=layer";
constexpr const char* kSmall = "wide_dense/1 channels=32 words=17 step=4 scale=layer";

Graph dense_layer() {
  test::GraphBuilder b;
  std::vector<uint8_t> weights;
  for (int i = 0; i < kSize * kSize; ++i) weights.push_back(static_cast<uint8_t>(i % 13 - 6));
  const int x = b.input({1, kSize}, 0.1F, 0);
  return b.finish({b.op(OperatorKind::kFullyConnected,
                        {x, b.constant({kSize, kSize}, 0.01F, 0, std::move(weights)), -1},
                        ActivationAttributes{Activation::kRelu}, {1, kSize}, 0.1F, -128)});
}

struct Known {
  uint64_t cycles, code_bytes;
};

/// Returns the layer's chosen schedule. The first record of its log has `began` cycles.
std::string chosen(const Known& fast, const Known& small, std::optional<uint64_t> flash = {},
                   uint64_t began = 9000) {
  const Graph graph = dense_layer();
  const IntegerNetwork network = test::executed(graph);
  const NetworkOptions options{.name = "net"};
  Records records;
  const auto add = [&](const char* schedule, const Known& known) {
    Measurement m;
    m.workload = to_text(network_memory(network, options).layers[0].op.workload);
    m.schedule = schedule;
    m.outcome = Outcome::kOk;
    m.cycles = {known.cycles};
    m.code = {.code_bytes = known.code_bytes, .constant_bytes = 9000};
    records.add(m);
  };
  add(kFirst, {began, 7000});
  add(kFast, fast);
  add(kSmall, small);
  const auto made =
      generate_within(network, *load_device("rv32imc"), records, {.flash_bytes = flash}, options);
  EXPECT_TRUE(made) << made.error().message();
  return made ? to_text(*made->layers[0].schedule) : "";
}

TEST(FlashWorth, CodeThatSavesNextToNothing_IsNotDeployed) {
  EXPECT_EQ(chosen({5000, 6000}, {5005, 1000}), kSmall);
  EXPECT_EQ(chosen({5000, 6000}, {5000, 1000}), kSmall);
}

TEST(FlashWorth, CodeThatSavesCycles_IsDeployed) {
  EXPECT_EQ(chosen({5000, 6000}, {5450, 1000}), kFast);
  EXPECT_EQ(chosen({5000, 1000}, {5001, 1000}), kFast);
}

TEST(FlashWorth, WhatTuningBeganWith_GivesWayToNothingSlower) {
  EXPECT_EQ(chosen({5000, 6000}, {5005, 1000}, {}, /*began=*/5004), kFast);
}

TEST(FlashWorth, ALargerLimitOnFlash_CostsNoCycles) {
  const Known fast{5000, 6000}, small{5005, 1000};
  EXPECT_EQ(chosen(fast, small, 1 << 20), chosen(fast, small));
}

}  // namespace
}  // namespace tinytune
