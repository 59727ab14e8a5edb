// ONNX's rounding: the integer form against float arithmetic on every accumulator a layer can
// reach, and every template's kernels against the reference.
#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>

#include "schedules/requantise.h"
#include "schedules/stepped_requantise.h"
#include "simulator/simulator.h"
#include "templates/kernel_template.h"
#include "tests/templates/each_layer.h"
#include "tests/templates/expect_exact.h"
#include "tests/templates/random_layer.h"

namespace tinytune {
namespace {

int expected(const Workload& w, int64_t accumulator, float scale) {
  const float product = static_cast<float>(accumulator) * scale;
  return std::clamp(
      static_cast<int>(std::nearbyintf(std::clamp(product, -1e4F, 1e4F))) + w.output_zero_point,
      w.activation_min, w.activation_max);
}

int by_table(const Workload& w, const SteppedLevels& levels, int64_t accumulator,
             int32_t multiplier, int right) {
  const int64_t product = accumulator * multiplier, k = product >> (32 + right);
  const int64_t fraction = (product >> (right + 1)) & 0x7fffffff;  // of 2^31
  const int64_t up = fraction - (1 << 30) > levels[static_cast<size_t>(k & 255)] ? 1 : 0;
  return static_cast<int>(
      std::clamp<int64_t>(k + up + w.output_zero_point, w.activation_min, w.activation_max));
}

TEST(SteppedRequantise, AgreesWithFloatArithmeticOnEveryReachableAccumulator) {
  for (const int zero_point : {-128, 3, 127})
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      const RandomLayer layer =
          random_layer(small_layer(zero_point, Rounding::kHalfToEven), Scales::kTypical, seed);
      const auto levels = step_requantise(layer.workload, layer.data);
      ASSERT_TRUE(levels) << "seed " << seed;
      const auto ranges = accumulator_ranges(layer.workload, layer.data);
      for (size_t c = 0; c < ranges.size(); ++c) {
        const int32_t multiplier = layer.data.multiplier[c];
        const float scale = std::ldexp(static_cast<float>(multiplier), layer.data.shift[c] - 31);
        for (int64_t a = ranges[c].low; a <= ranges[c].high; ++a)
          ASSERT_EQ(by_table(layer.workload, *levels, a, multiplier, -1 - layer.data.shift[c]),
                    expected(layer.workload, a, scale))
              << "seed " << seed << " channel " << c << " accumulator " << a;
      }
    }
}

// A scale of 2^-8 puts every 256th accumulator on a tie.
TEST(SteppedRequantise, TiesGoToTheEvenLevel) {
  RandomLayer layer = random_layer(small_layer(0, Rounding::kHalfToEven), Scales::kTypical, 1);
  for (size_t c = 0; c < 6; ++c) layer.data.multiplier[c] = 1 << 30, layer.data.shift[c] = -7;
  const auto levels = step_requantise(layer.workload, layer.data);
  ASSERT_TRUE(levels);
  for (const auto& [accumulator, level] : {std::pair{128, 0},
                                           {384, 2},
                                           {640, 2},
                                           {-128, 0},
                                           {-384, -2},
                                           {129, 1},
                                           {-129, -1},
                                           {383, 1},
                                           {385, 2}})
    EXPECT_EQ(by_table(layer.workload, *levels, accumulator, 1 << 30, 6), level) << accumulator;
}

TEST(SteppedRequantise, IsRefusedFromAQuarterOn_AndForTFLitesRounding) {
  RandomLayer layer = random_layer(small_layer(0, Rounding::kHalfToEven), Scales::kTypical, 1);
  EXPECT_EQ(layer.workload.facts.requantise, Requantise::kStepped);
  layer.data.shift[2] = -2;  // just below 1/4
  EXPECT_TRUE(step_requantise(layer.workload, layer.data));
  layer.data.shift[2] = -1, layer.data.multiplier[2] = 1 << 30;
  EXPECT_FALSE(step_requantise(layer.workload, layer.data));
  layer.data.shift[2] = -8;
  layer.workload.rounding = Rounding::kTwice;
  EXPECT_FALSE(step_requantise(layer.workload, layer.data));
}

TEST(HalfToEven, EveryTemplateComputesTheReferencesBytes) {
  constexpr const char* kShapes[] = {
      "conv2d_s8 nhwc n1 in5x5x8 out5x5x8 k1x1 s1x1 d1x1 p0,0 g1 m1 zp-128,-128 act-128,127",
      "conv2d_s8 nhwc n1 in7x7x8 out7x7x12 k3x3 s1x1 d1x1 p1,1 g1 m1 zp17,-9 act-100,90",
      "conv2d_s8 nchw n1 in9x7x3 out5x4x6 k3x3 s2x2 d1x1 p1,1 g1 m1 zp5,-3 act-128,127",
      "depthwise_conv2d_s8 nhwc n1 in7x5x8 out7x5x8 k3x3 s1x1 d1x1 p1,1 g1 m1 zp3,-128 "
      "act-128,127",
      "depthwise_conv2d_s8 nchw n1 in7x5x8 out7x5x8 k3x3 s1x1 d1x1 p1,1 g1 m1 zp-128,127 "
      "act-128,127",
      "dense_s8 nhwc n1 in1x1x64 out1x1x12 k1x1 s1x1 d1x1 p0,0 g1 m1 zp-128,14 act-128,127"};
  for_each_layer(kShapes, " lane1 stepped even",
                 [](Simulator& simulator, const Device& device, const RandomLayer& layer,
                    const ConfigSpace& space, uint64_t seed) {
                   ASSERT_NE(layer.workload.facts.requantise, Requantise::kLong);
                   for (size_t point = 0; point < space.size(); ++point)
                     if (point == 0 || space.family_of(point) != space.family_of(point - 1))
                       expect_exact(simulator, device, layer, space.schedule(point), seed);
                 });
}

}  // namespace
}  // namespace tinytune
