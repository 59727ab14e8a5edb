// SMLAD kernels: every form of weights, and joined weights at the limits of what they can hold.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "base/rng.h"
#include "schedules/weight_facts.h"
#include "templates/smlad/smlad_step.h"
#include "templates/smlad/smlad_template.h"
#include "templates/smlad/smlad_weights.h"
#include "tests/templates/expect_exact.h"

namespace tinytune {
namespace {

const char* const kSmladShapes[] = {
    // Channels that no tile divides; odd, even and fourfold runs of inputs.
    "conv2d_s8 nhwc n1 in5x5x9 out5x5x7 k1x1 s1x1 d1x1 p0,0 g1 m1 zp-128,-128 act-128,127 lane1 "
    "long",
    "conv2d_s8 nhwc n1 in4x7x16 out4x7x6 k1x1 s1x1 d1x1 p0,0 g1 m1 zp3,-7 act-100,90 lane1 long",
    "conv2d_s8 nhwc n1 in7x7x6 out7x7x5 k3x3 s1x1 d1x1 p1,1 g1 m1 zp-128,7 act-128,127 lane1 long",
    "conv2d_s8 nhwc n1 in9x8x3 out4x4x8 k3x3 s2x2 d1x1 p0,0 g1 m1 zp5,-3 act-128,127 lane1 long",
    "conv2d_s8 nhwc n1 in9x9x4 out9x9x3 k3x3 s1x1 d2x1 p2,1 g1 m1 zp-1,-128 act-128,127 lane1 "
    "long",
    "dense_s8 nhwc n1 in1x1x64 out1x1x13 k1x1 s1x1 d1x1 p0,0 g1 m1 zp-128,14 act-128,127 lane1 "
    "long",
    // Groups: borders, and channels that no tile divides.
    "conv2d_s8 nhwc n1 in7x6x16 out7x6x10 k3x3 s1x1 d1x1 p1,1 g2 m1 zp-128,-128 act-128,127 lane1 "
    "long",
    "conv2d_s8 nhwc n1 in8x6x24 out4x3x21 k1x1 s2x2 d1x1 p0,0 g3 m1 zp9,-128 act-128,127 lane1 "
    "long",
};

class SmladKernels : public testing::TestWithParam<const char*> {};

// Runs on a core whose kernels are printed in LLVM's order, and on one with another order.
TEST(SmladTiles, UsualWidth_LeavesTheLastTileLittleToRepeat) {
  constexpr bool kPairs = false, kJoined = true;
  EXPECT_EQ(usual_tile_channels(64, 8, kPairs), 8);
  EXPECT_EQ(usual_tile_channels(12, 8, kPairs), 6);
  EXPECT_EQ(usual_tile_channels(10, 8, kPairs), 5);
  EXPECT_EQ(usual_tile_channels(10, 8, kJoined), 6);
  EXPECT_EQ(usual_tile_channels(7, 8, kPairs), 4);
  EXPECT_EQ(usual_tile_channels(64, 4, kPairs), 4);
  EXPECT_EQ(usual_tile_channels(10, 4, kPairs), 5);
  EXPECT_EQ(usual_tile_channels(1, 8, kPairs), 1);
}

TEST_P(SmladKernels, EveryKnob_ComputesTheReferencesBytes) {
  const auto device = load_device(GetParam());
  ASSERT_TRUE(device) << device.error().message();
  auto simulator = Simulator::create(*device);
  ASSERT_TRUE(simulator) << simulator.error().message();
  uint64_t seed = 100;
  bool fused = false, not_fused = false, shifted = false, multiple = false;
  for (const char* shape : kSmladShapes) {
    const RandomLayer layer = random_layer(*parse_workload(shape), Scales::kTypical, ++seed);
    const bool is_fused = layer.workload.facts.requantise == Requantise::kFused;
    (is_fused ? fused : not_fused) = true;
    const ConfigSpace space = space_of(layer.workload, *device);
    Rng rng(seed);
    for (int tried = 0; tried < 16;) {
      const Schedule schedule = space.schedule(rng.below(space.size()));
      if (!schedule.template_name().starts_with("smlad")) continue;
      if (schedule.template_name().starts_with("smlad_dense_by_layer")) continue;  // one scale
      if (schedule.get("right") != "0" && !packs(layer, schedule)) continue;
      shifted |= schedule.get("right") != "0";
      multiple |= schedule.get("loads") == "multiple";
      expect_exact(*simulator, *device, layer, schedule, ++seed);
      ++tried;
    }
    if (HasFatalFailure()) return;
  }
  EXPECT_TRUE(fused && not_fused) << "tiles end in either requantisation";
  EXPECT_TRUE(shifted && multiple) << "and with every knob";
}
INSTANTIATE_TEST_SUITE_P(Cores, SmladKernels, testing::Values("cortex-m4", "stm32f7"));

// Multipliers that are 0, or smaller than TFLite writes them, as well.
TEST(SmladKernelsOfM4, ShortRequantisation_TakesAnyMultiplier) {
  const auto device = load_device("cortex-m4");
  ASSERT_TRUE(device) << device.error().message();
  auto simulator = Simulator::create(*device);
  ASSERT_TRUE(simulator) << simulator.error().message();
  uint64_t seed = 300;
  for (const char* shape : {kSmladShapes[0], kSmladShapes[5]}) {
    RandomLayer layer = random_layer(*parse_workload(shape), Scales::kTypical, ++seed);
    layer.data.multiplier[0] = 0;
    layer.data.multiplier[1] = 1 << 29;
    layer.workload.facts = prove_facts(layer.workload, layer.data);
    layer.workload.facts.requantise = Requantise::kShort;
    ASSERT_TRUE(facts_hold(layer.workload, layer.data)) << shape;
    const ConfigSpace space = space_of(layer.workload, *device);
    Rng rng(seed);
    for (int tried = 0; tried < 12;) {
      const Schedule schedule = space.schedule(rng.below(space.size()));
      if (!schedule.template_name().starts_with("smlad")) continue;
      if (schedule.template_name().starts_with("smlad_dense_by_layer")) continue;  // one scale
      expect_exact(*simulator, *device, layer, schedule, ++seed);
      ++tried;
    }
  }
}

// Rows of a matrix, say: all but the staged inputs may be there.
TEST(SmladKernelsOfM4, OfPointwiseLayers_ComputeWithoutScratchToo) {
  const auto device = load_device("cortex-m4");
  ASSERT_TRUE(device) << device.error().message();
  auto simulator = Simulator::create(*device);
  ASSERT_TRUE(simulator) << simulator.error().message();
  uint64_t seed = 400;
  for (const char* shape :
       {kSmladShapes[1], kSmladShapes[7],
        "conv2d_s8 nhwc n1 in1x8x64 out1x8x64 k1x1 s1x1 d1x1 p0,0 g1 m1 zp-1,4 act-128,127 lane1 "
        "long"}) {
    const RandomLayer layer = random_layer(*parse_workload(shape), Scales::kTypical, ++seed);
    const auto needs_none = [&](const Schedule& schedule) {
      return (*find_template(schedule))->scratch_bytes(layer.workload, schedule) == 0;
    };
    const auto permitted = permitted_default_of(layer.workload, layer.data, *device, needs_none);
    ASSERT_TRUE(permitted) << permitted.error().message();
    EXPECT_EQ(permitted->schedule.template_name(), "smlad_pointwise") << shape;
    expect_exact(*simulator, *device, layer, permitted->schedule, ++seed);
  }
}

const char* const kDepthwiseShapes[] = {
    // Strides, borders on every side, rows that tiles do not divide, columns that are not read.
    "depthwise_conv2d_s8 nhwc n1 in9x7x5 out9x7x5 k3x3 s1x1 d1x1 p1,1 g1 m1 zp-128,-128 "
    "act-128,127 lane1 long",
    "depthwise_conv2d_s8 nhwc n1 in12x9x3 out6x5x3 k3x3 s2x2 d1x1 p0,1 g1 m1 zp4,-128 act-128,127 "
    "lane1 long",
    "depthwise_conv2d_s8 nhwc n1 in6x14x2 out4x12x2 k3x3 s1x1 d1x1 p0,0 g1 m1 zp-7,-128 "
    "act-128,127 "
    "lane1 long",
    "depthwise_conv2d_s8 nhwc n1 in10x11x4 out4x5x4 k3x3 s2x2 d1x1 p0,0 g1 m1 zp0,-128 act-128,127 "
    "lane1 long",
    "depthwise_conv2d_s8 nhwc n1 in17x1x3 out17x1x3 k3x3 s1x1 d1x1 p1,1 g1 m1 zp9,-128 act-128,127 "
    "lane1 long",
    "depthwise_conv2d_s8 nhwc n1 in3x31x2 out1x16x2 k3x3 s2x2 d1x1 p0,1 g1 m1 zp9,-128 act-128,127 "
    "lane1 long",
    // Channels by fours: pairs of columns behind a lone one, loops over them, a lone last one.
    "depthwise_conv2d_s8 nhwc n1 in9x7x8 out9x7x8 k3x3 s1x1 d1x1 p1,1 g1 m1 zp-128,-128 "
    "act-128,127 lane1 long",
    "depthwise_conv2d_s8 nhwc n1 in7x23x4 out3x11x4 k3x3 s2x2 d1x1 p0,0 g1 m1 zp5,-128 act-128,127 "
    "lane1 long",
    "depthwise_conv2d_s8 nhwc n1 in5x18x12 out5x18x12 k3x3 s1x1 d1x1 p1,1 g1 m1 zp0,-128 "
    "act-128,127 lane1 long",
};

TEST(SmladDepthwise, EverySchedule_ComputesTheReferencesBytes) {
  const auto device = load_device("cortex-m4");
  ASSERT_TRUE(device) << device.error().message();
  auto simulator = Simulator::create(*device);
  ASSERT_TRUE(simulator) << simulator.error().message();
  uint64_t seed = 500;
  std::set<std::string> shifts;
  for (const char* shape : kDepthwiseShapes) {
    RandomLayer layer = random_layer(*parse_workload(shape), Scales::kTypical, ++seed);
    // The template computes the fused requantisation, which most constants permit.
    for (int more = 0; more < 20 && layer.workload.facts.requantise != Requantise::kFused; ++more)
      layer = random_layer(*parse_workload(shape), Scales::kTypical, ++seed);
    ASSERT_EQ(layer.workload.facts.requantise, Requantise::kFused) << shape;
    const ConfigSpace space = space_of(layer.workload, *device);
    int tried = 0;
    for (size_t point = 0; point < space.size(); ++point) {
      const Schedule schedule = space.schedule(point);
      if (schedule.template_name() != "smlad_depthwise" || schedule.get("sched") != "source")
        continue;
      // Fillings of one row, of some rows, and of all rows.
      const int rows = schedule.get_int("rows");
      if (rows > 1 && rows != 3 && rows < layer.workload.out_h) continue;
      if (!packs(layer, schedule)) continue;
      shifts.insert(schedule.get("right"));
      expect_exact(*simulator, *device, layer, schedule, ++seed);
      ++tried;
    }
    EXPECT_GE(tried, 2) << shape;
    if (HasFatalFailure()) return;
  }
  EXPECT_EQ(shifts, (std::set<std::string>{"0", "12", "9"}));
}

// 25 rows: two fillings of 16 compute 32 rows, two of 13 compute 26.
TEST(SmladDepthwise, DefaultFillsEquallyWhereOneFillingHasNoRoom) {
  const auto device = load_device("cortex-m4");
  ASSERT_TRUE(device) << device.error().message();
  const Workload layer = *parse_workload(
      "depthwise_conv2d_s8 nhwc n1 in25x5x64 out25x5x64 k3x3 s1x1 d1x1 p1,1 g1 m1 zp-128,-128 "
      "act-128,127 lane2 fused");
  const Schedule usual = *default_schedule_of(layer, *device);
  EXPECT_EQ(usual.template_name(), "smlad_depthwise");
  EXPECT_EQ(usual.get("rows"), "13");
  EXPECT_EQ(usual.get("channels"), "4");
}

// Returns a dense layer in which all weights of a channel are equal.
RandomLayer dense_layer(int inputs, std::initializer_list<int> weights) {
  Workload w = *parse_workload(
      "dense_s8 nhwc n1 in1x1x8 out1x1x2 k1x1 s1x1 d1x1 p0,0 g1 m1 zp-128,0 act-128,127 lane1 "
      "long");
  w.in_c = inputs;
  w.out_c = static_cast<int>(weights.size());
  RandomLayer layer = random_layer(w, Scales::kTypical, 1);
  auto at = layer.data.weights.begin();
  for (const int weight : weights) at = std::fill_n(at, inputs, static_cast<int8_t>(weight));
  std::fill(layer.data.bias.begin(), layer.data.bias.end(), 0);
  layer.workload.facts = prove_facts(layer.workload, layer.data);
  return layer;
}

const Schedule kJoined("smlad_dense", 4,
                       {{"oc", "2"},
                        {"px", "1"},
                        {"step", "1"},
                        {"border", "none"},
                        {"sched", "source"},
                        {"weights", "joined"},
                        {"loads", "grouped"},
                        {"inputs", "staged"},
                        {"right", "0"}});

TEST(JoinedWeights, TheLargestSumsThatFit_AreExact) {
  const auto device = load_device("cortex-m4");
  ASSERT_TRUE(device) << device.error().message();
  auto simulator = Simulator::create(*device);
  ASSERT_TRUE(simulator) << simulator.error().message();
  // Inputs are 0 to 255 above their zero point.
  for (const auto& weights : {std::pair{127, 127}, {-127, -127}, {127, -127}, {-128, 0}})
    expect_exact(*simulator, *device,
                 dense_layer(weights.first == -128 ? 16 : 259, {weights.second, weights.first}),
                 kJoined, 1);
}

TEST(JoinedWeights, WhatDoesNotFit_IsRefused) {
  EXPECT_TRUE(packs(dense_layer(259, {127, 127}), kJoined));
  EXPECT_FALSE(packs(dense_layer(260, {127, 127}), kJoined)) << "its sums take more than 24 bits";
  RandomLayer biased = dense_layer(259, {127, 127});
  biased.data.bias[1] = 1000;
  EXPECT_FALSE(packs(biased, kJoined)) << "sums start from the bias";
  EXPECT_TRUE(packs(dense_layer(8, {0, -128}), kJoined));
  EXPECT_FALSE(packs(dense_layer(8, {-1, -128}), kJoined))
      << "256 * -128 - 1 takes more than 16 bits";
}

TEST(JoinedWeights, ALayerThatCannotHaveThem_FallsBackToPairs) {
  const auto device = load_device("stm32l4r5");
  ASSERT_TRUE(device) << device.error().message();
  const RandomLayer layer = dense_layer(1024, {127, 127});
  const std::vector<Schedule> defaults = default_schedules_of(layer.workload, *device);
  EXPECT_EQ(defaults[0].get("weights"), "joined");
  EXPECT_FALSE(packs(layer, defaults[0]));
  const auto usual = permitted_default_of(layer.workload, layer.data, *device);
  ASSERT_TRUE(usual) << usual.error().message();
  EXPECT_EQ(usual->schedule.template_name(), "smlad_dense");
  EXPECT_EQ(usual->schedule.get("weights"), "pairs");
  EXPECT_FALSE(usual->constants.empty());
  const auto next = permitted_default_of(layer.workload, layer.data, *device,
                                         [&](const Schedule& s) { return s != usual->schedule; });
  ASSERT_TRUE(next) << next.error().message();
  EXPECT_NE(next->schedule, usual->schedule);
}

class ScaledByLayer : public testing::TestWithParam<const char*> {};

TEST_P(ScaledByLayer, ALayerWithOneScale_ReadsItOnceAndIsExact) {
  const auto device = load_device(GetParam());
  ASSERT_TRUE(device) << device.error().message();
  auto simulator = Simulator::create(*device);
  ASSERT_TRUE(simulator) << simulator.error().message();
  std::set<std::string> tried_templates;
  // The last tile moves back; the ends of both forms of requantisation.
  for (const Requantise form : {Requantise::kFused, Requantise::kShort}) {
    RandomLayer layer = random_layer(*parse_workload(kSmladShapes[5]), Scales::kTypical, 7);
    layer.workload.output_zero_point = form == Requantise::kFused ? -128 : 14;
    std::fill(layer.data.multiplier.begin(), layer.data.multiplier.end(), 1518500250);
    std::fill(layer.data.shift.begin(), layer.data.shift.end(), -8);
    layer.workload.facts = prove_facts(layer.workload, layer.data);
    ASSERT_EQ(layer.workload.facts.requantise, form);
    const Schedule usual = *default_schedule_of(layer.workload, *device);
    EXPECT_EQ(usual.template_name(), "smlad_dense_by_layer");
    ASSERT_TRUE(packs(layer, usual));
    expect_exact(*simulator, *device, layer, usual, 8);
    const ConfigSpace space = space_of(layer.workload, *device);
    Rng rng(9);
    for (int tried = 0; tried < 16;) {
      const Schedule schedule = space.schedule(rng.below(space.size()));
      if (!schedule.template_name().starts_with(usual.template_name())) continue;
      tried_templates.insert(schedule.template_name());
      expect_exact(*simulator, *device, layer, schedule, 8);
      ++tried;
    }
  }
  EXPECT_EQ(tried_templates.size(), device->target.can(Capability::kPrefetch) ? 2u : 1u);
}
INSTANTIATE_TEST_SUITE_P(Cores, ScaledByLayer, testing::Values("stm32l4r5", "stm32f7"));

TEST(ScaledByLayerOnM4, ChannelsThatDiffer_AreRefused) {
  const auto device = load_device("stm32l4r5");
  ASSERT_TRUE(device) << device.error().message();
  RandomLayer layer = dense_layer(64, {50, 50});
  std::fill(layer.data.multiplier.begin(), layer.data.multiplier.end(), 1518500250);
  std::fill(layer.data.shift.begin(), layer.data.shift.end(), -8);
  layer.workload.facts = prove_facts(layer.workload, layer.data);
  const Schedule usual = *default_schedule_of(layer.workload, *device);
  ASSERT_EQ(usual.template_name(), "smlad_dense_by_layer");
  EXPECT_TRUE(packs(layer, usual));
  layer.data.multiplier[1] += 1 << 20;
  EXPECT_FALSE(packs(layer, usual));
}

TEST(SmladStep, TilesBeyondTheRegistersOrALoadsReach_DoNotFit) {
  const SmladTile tile{WeightForm::kJoined, 2, 3};
  EXPECT_TRUE(smlad_step_fits(tile, {4, 64, 32}, 8));
  EXPECT_FALSE(smlad_step_fits(tile, {4, 2048, 32}, 8)) << "the third pixel is 4096 bytes away";
  EXPECT_FALSE(smlad_step_fits({WeightForm::kJoined, 4, 4}, {16, 4, 32}, 2)) << "16 sums";
  EXPECT_FALSE(smlad_step_fits({WeightForm::kJoined, 3, 2}, {8, 4, 32}, 2)) << "half a pair";
}

TEST(SmladStep, EightSumsOfOnePixel_KeepTheEndOnTheStack) {
  const SmladInputs inputs{2, 0, 16, true};
  const auto step = [&](int channels) {
    return smlad_step({WeightForm::kJoined, channels, 1}, inputs, 8, LoadOrder::kGrouped);
  };
  EXPECT_TRUE(step(8).end_on_stack);
  EXPECT_EQ(step(8).temporaries, 3) << "the fourth is the end's register";
  EXPECT_FALSE(step(2).end_on_stack);
}

TEST(SmladStep, SpreadLoads_StandBetweenProducts) {
  const SmladTile tile{WeightForm::kJoined, 4, 2};
  const auto longest_group = [&](LoadOrder loads) {
    const std::string text = smlad_step(tile, {8, 4, 64}, 8, loads).code.text();
    int here = 0, longest = 0;
    // Starts at the first product: loads before it have nothing to be spread between.
    for (size_t at = text.find("smlad"); at != std::string::npos; at = text.find("\\09", at)) {
      at += text.compare(at, 3, "\\09") == 0 ? 3 : 0;
      here = text.compare(at, 3, "ldr") == 0 ? here + 1 : 0;
      longest = std::max(longest, here);
    }
    return longest;
  };
  EXPECT_LT(longest_group(LoadOrder::kSpread), longest_group(LoadOrder::kGrouped));
}

// Returns how many instructions of a step begin with `opcode`.
int count_of(const SmladStep& step, const std::string& opcode) {
  int count = 0;
  for (size_t at = step.code.text().find(opcode); at != std::string::npos;
       at = step.code.text().find(opcode, at + 1))
    ++count;
  return count;
}

TEST(SmladStep, PairedLoads_ReadTwoWordsEach) {
  const auto step = [](SmladTile tile, SmladInputs inputs) {
    return smlad_step(tile, inputs, 8, LoadOrder::kPaired);
  };
  const SmladStep square = step({WeightForm::kPairs, 4, 2}, {8, 4, 64});
  EXPECT_EQ(count_of(square, "ldrd "), 8 * (4 + 2) / 2) << "every word has its neighbour";
  const SmladStep column = step({WeightForm::kPairs, 8, 1}, {4, 0, 32});
  EXPECT_EQ(count_of(column, "ldrd "), 8 * (8 + 1) / 2) << "inputs of two pairs are neighbours";
  // Nothing lies beside pixels that are far apart.
  const SmladStep apart = step({WeightForm::kPairs, 4, 2}, {4, 64, 32});
  EXPECT_EQ(count_of(apart, "ldrd "), 8 * 4 / 2);
}

TEST(SmladStep, PairedLoadsBeyondTheirReach_ReadOneWordEach) {
  // LDRD reaches 1020 bytes, LDR 4095.
  const SmladStep step =
      smlad_step({WeightForm::kPairs, 4, 2}, {512, 4, 4096 - 512}, 8, LoadOrder::kPaired);
  EXPECT_NE(step.code.text().find("#1536]"), std::string::npos) << "the fourth pair's inputs";
  for (size_t at = step.code.text().find("ldrd "); at != std::string::npos;
       at = step.code.text().find("ldrd ", at + 1)) {
    const size_t offset = step.code.text().find('#', at);
    EXPECT_LE(std::stoi(step.code.text().substr(offset + 1)), 1020);
  }
  EXPECT_GT(count_of(step, "ldrd "), 0);
}

TEST(SmladStep, SpreadLoads_GetTheRegisterOfTheLoopsEnd) {
  const SmladInputs inputs{2, 0, 16, true};
  EXPECT_TRUE(smlad_step({WeightForm::kJoined, 4, 1}, inputs, 8, LoadOrder::kSpread).end_on_stack);
}

}  // namespace
}  // namespace tinytune
