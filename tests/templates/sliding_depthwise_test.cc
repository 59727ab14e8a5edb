// The sliding window: every schedule, at every kind of border, and the scaled weights that it
// needs.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "schedules/requantise.h"
#include "schedules/scaled_weights.h"
#include "templates/sliding/sliding_code.h"
#include "tests/templates/expect_exact.h"

namespace tinytune {
namespace {

const char* const kSlidingShapes[] = {
    // Strides, borders on every side, rows that no step divides, columns that are not read.
    "depthwise_conv2d_s8 nhwc n1 in9x7x3 out9x7x3 k3x3 s1x1 d1x1 p1,1 g1 m1 zp-128,-128 "
    "act-128,127 lane1 long",
    "depthwise_conv2d_s8 nhwc n1 in12x19x2 out6x10x2 k3x3 s2x2 d1x1 p0,1 g1 m1 zp4,-128 "
    "act-128,127 lane1 long",
    "depthwise_conv2d_s8 nhwc n1 in6x14x2 out4x12x2 k3x3 s1x1 d1x1 p0,0 g1 m1 zp-7,-128 "
    "act-128,127 lane1 long",
    "depthwise_conv2d_s8 nhwc n1 in17x1x3 out17x1x3 k3x3 s1x1 d1x1 p1,1 g1 m1 zp0,-128 act-128,127 "
    "lane1 long",
    // Smaller than the window; windows with no tap inside; a clamp of its own.
    "depthwise_conv2d_s8 nhwc n1 in2x2x3 out2x2x3 k3x3 s1x1 d1x1 p1,1 g1 m1 zp9,-128 act-128,127 "
    "lane1 long",
    "depthwise_conv2d_s8 nhwc n1 in2x3x2 out6x7x2 k3x3 s1x1 d1x1 p2,3 g1 m1 zp-3,-128 act-128,90 "
    "lane1 long",
    // Windows that do not overlap, and windows that overlap by most.
    "depthwise_conv2d_s8 nhwc n1 in11x9x2 out4x3x2 k2x3 s3x3 d1x1 p0,0 g1 m1 zp5,-128 act-128,127 "
    "lane1 long",
    "depthwise_conv2d_s8 nhwc n1 in3x15x2 out3x15x2 k1x8 s1x1 d1x1 p0,3 g1 m1 zp-128,-128 "
    "act-128,127 lane1 long",
};

// Draws a layer with fused requantisation, as most layers have that clamp outputs at the zero
// point.
RandomLayer fused_layer(const char* shape, uint64_t seed) {
  RandomLayer layer = random_layer(*parse_workload(shape), Scales::kTypical, seed);
  for (int more = 1; more < 50 && layer.workload.facts.requantise != Requantise::kFused; ++more)
    layer = random_layer(*parse_workload(shape), Scales::kTypical, seed + 100u * more);
  return layer;
}

TEST(SlidingDepthwise, EverySchedule_ComputesTheReferencesBytes) {
  const auto device = load_device("rv32imc");
  ASSERT_TRUE(device) << device.error().message();
  auto simulator = Simulator::create(*device);
  ASSERT_TRUE(simulator) << simulator.error().message();
  uint64_t seed = 700;
  bool shifted = false, not_shifted = false;
  for (const char* shape : kSlidingShapes) {
    const RandomLayer layer = fused_layer(shape, ++seed);
    ASSERT_EQ(layer.workload.facts.requantise, Requantise::kFused) << shape;
    const ConfigSpace space = space_of(layer.workload, *device);
    int tried = 0;
    for (size_t point = 0; point < space.size(); ++point) {
      const Schedule schedule = space.schedule(point);
      if (schedule.template_name() != "sliding_depthwise" || schedule.get("sched") != "source" ||
          !packs(layer, schedule))
        continue;
      expect_exact(*simulator, *device, layer, schedule, ++seed);
      (schedule.get("right") == "0" ? not_shifted : shifted) = true;
      ++tried;
    }
    EXPECT_GE(tried, 4) << shape;
    if (HasFatalFailure()) return;
  }
  EXPECT_TRUE(shifted && not_shifted);
}

TEST(SlidingDepthwise, AChannelThatAsksForAShift_GetsTheFallback) {
  const auto device = load_device("rv32imc");
  ASSERT_TRUE(device) << device.error().message();
  auto simulator = Simulator::create(*device);
  ASSERT_TRUE(simulator) << simulator.error().message();
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    const RandomLayer layer = fused_layer(kSlidingShapes[0], seed);
    if (scale_weights(layer.workload, layer.data, 0)) continue;
    const auto usual = permitted_default_of(layer.workload, layer.data, *device);
    ASSERT_TRUE(usual) << usual.error().message();
    EXPECT_EQ(usual->schedule.template_name(), "sliding_depthwise");
    EXPECT_EQ(usual->schedule.get("right"), "8");
    return expect_exact(*simulator, *device, layer, usual->schedule, seed);
  }
  FAIL() << "every one of 400 layers does without a shift";
}

TEST(ScaledWeights, AgreeWithTheReferenceOnEveryReachableAccumulator) {
  int found = 0, found_without_shift = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const RandomLayer layer = fused_layer(kSlidingShapes[seed % 2], seed);
    const auto ranges = accumulator_ranges(layer.workload, layer.data);
    for (const int right : {0, 8}) {
      const auto scaled = scale_weights(layer.workload, layer.data, right);
      if (!scaled) continue;
      (right == 0 ? found_without_shift : found) += 1;
      for (size_t c = 0; c < ranges.size(); ++c)
        for (int64_t a = ranges[c].low; a <= ranges[c].high; ++a) {
          const ScaledChannel& s = (*scaled)[c];
          const auto sum = static_cast<int32_t>(static_cast<uint32_t>(a * s.factor + s.offset));
          const auto high = static_cast<int32_t>((int64_t{sum} * s.multiplier) >> 32);
          ASSERT_EQ(std::clamp(high >> right, -128, 127),
                    requantise_reference(layer.workload, static_cast<int32_t>(a),
                                         layer.data.multiplier[c], layer.data.shift[c]))
              << "seed " << seed << " channel " << c << " accumulator " << a;
        }
    }
  }
  EXPECT_EQ(found, 20);
  EXPECT_GE(found_without_shift, 10);
}

TEST(ScaledWeights, AChannelWhoseOutputsAreAllAlike_NeedsNoScale) {
  RandomLayer layer = fused_layer(kSlidingShapes[0], 3);
  layer.data.multiplier[1] = 0;
  layer.data.bias[2] = -1'000'000'000;
  const auto scaled = scale_weights(layer.workload, layer.data, 8);
  ASSERT_TRUE(scaled);
  EXPECT_NE((*scaled)[0].factor, 0);
  EXPECT_EQ((*scaled)[1].factor, 0);
  EXPECT_EQ((*scaled)[2].factor, 0);
}

TEST(ScaledWeights, OutputsOnBothSidesOfZero_AreRefused) {
  Workload w = *parse_workload(kSlidingShapes[0]);
  w.output_zero_point = 3;
  int found = 0;
  for (uint64_t seed = 1; seed <= 10; ++seed)
    found += scale_weights(w, random_layer(w, Scales::kTypical, seed).data, 8).has_value();
  EXPECT_LT(found, 10) << "the reference rounds halves away from zero";
}

// Checks that blocks cover every output once and in order, with every tap inside the input.
TEST(WindowWalk, Blocks_AreAllOutputsWithTheirTaps) {
  for (const WindowAxis& axis :
       {WindowAxis{9, 9, 3, 1, 1, 1, 1}, WindowAxis{6, 12, 3, 2, 0, 1, 1},
        WindowAxis{2, 2, 3, 1, 1, 1, 1}, WindowAxis{7, 3, 3, 1, 3, 1, 1},
        WindowAxis{15, 15, 8, 1, 3, 1, 1}, WindowAxis{1, 1, 1, 1, 0, 1, 1}})
    for (int outputs = 1; outputs <= std::min(axis.outputs, 5); ++outputs)
      for (const auto& blocks : {blocks_across(axis, outputs), blocks_along(axis, outputs)}) {
        int next = 0;
        for (const Blocks& b : blocks) {
          EXPECT_EQ(b.first, next);
          for (int i = 0; i < b.outputs * b.times; ++i, ++next)
            EXPECT_EQ(axis.taps(next), axis.taps(b.first + i % b.outputs))
                << "of one piece of code";
        }
        EXPECT_EQ(next, axis.outputs);
      }
  EXPECT_EQ((WindowAxis{9, 9, 3, 1, 1, 1, 1}).taps(0), (TapRange{1, 3}));
  EXPECT_EQ((WindowAxis{9, 9, 3, 1, 1, 1, 1}).taps(8), (TapRange{0, 2}));
  EXPECT_EQ((WindowAxis{7, 3, 3, 1, 3, 1, 1}).taps(0), (TapRange{3, 3})) << "none";
}

}  // namespace
}  // namespace tinytune
