// The proofs behind the cheap requantisations, checked on every accumulator a layer can reach.

#include "schedules/requantise.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/templates/random_layer.h"

namespace tinytune {
namespace {

int32_t multiply_high(int32_t a, int32_t b) { return static_cast<int32_t>((int64_t{a} * b) >> 32); }

TEST(FusedRequantise, AgreesWithTheReferenceOnEveryReachableAccumulator) {
  int found = 0;
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    const RandomLayer layer = random_layer(small_layer(-128), Scales::kTypical, seed);
    const auto fused = fuse_requantise(layer.workload, layer.data);
    if (!fused) continue;
    ++found;
    const auto ranges = accumulator_ranges(layer.workload, layer.data);
    for (size_t c = 0; c < ranges.size(); ++c)
      for (int64_t a = ranges[c].low; a <= ranges[c].high; ++a) {
        const auto acc = static_cast<int32_t>(a);
        const int out =
            (multiply_high(acc << fused->left, fused->multiplier[c]) + fused->offset[c]) >>
            fused->right;
        ASSERT_EQ(std::clamp(out, -128, 127),
                  requantise_reference(layer.workload, acc, layer.data.multiplier[c],
                                       layer.data.shift[c]))
            << "seed " << seed << " channel " << c << " accumulator " << a;
      }
  }
  EXPECT_EQ(found, 30) << "layers that clamp at their zero point should all have a fused form";
}

TEST(FusedRequantise, IsRefusedWhereOutputsLieOnBothSidesOfZero) {
  // The reference rounds halves away from zero; one multiply steps evenly across it. Small layers
  // may be lucky, but not thirty of them.
  int found = 0;
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    const RandomLayer layer = random_layer(small_layer(3), Scales::kTypical, seed);
    found += fuse_requantise(layer.workload, layer.data).has_value();
  }
  EXPECT_LT(found, 30);
}

TEST(FusedWeights, AgreeWithTheReferenceOnEveryReachableAccumulator) {
  int found = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const RandomLayer layer = random_layer(small_layer(-128), Scales::kTypical, seed);
    const auto ranges = accumulator_ranges(layer.workload, layer.data);
    for (const int right : {9, 12}) {
      const auto fused = fuse_into_weights(layer.workload, layer.data, right);
      if (!fused) continue;
      ++found;
      for (size_t c = 0; c < ranges.size(); ++c)
        for (int64_t a = ranges[c].low; a <= ranges[c].high; ++a) {
          const int64_t sum = a * (1 << fused->left[c]);
          ASSERT_TRUE(sum >= INT32_MIN && sum <= INT32_MAX);
          const int64_t scaled = ((sum * fused->multiplier[c]) >> 32) + fused->offset[c];
          ASSERT_EQ(std::clamp<int64_t>(scaled >> right, -128, 127),
                    requantise_reference(layer.workload, static_cast<int32_t>(a),
                                         layer.data.multiplier[c], layer.data.shift[c]))
              << "seed " << seed << " channel " << c << " accumulator " << a;
        }
    }
  }
  EXPECT_GE(found, 20);
}

TEST(ShortRequantise, AgreesWithTheReferenceOnEveryReachableAccumulator) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const RandomLayer layer = random_layer(small_layer(9), Scales::kTypical, seed);
    ASSERT_TRUE(short_requantise_proved(layer.workload, layer.data));
    const auto ranges = accumulator_ranges(layer.workload, layer.data);
    for (size_t c = 0; c < ranges.size(); ++c)
      for (int64_t a = ranges[c].low; a <= ranges[c].high; ++a) {
        const int64_t product = a * (2 * int64_t{layer.data.multiplier[c]});
        const auto h = static_cast<int32_t>((product >> 32) + ((product >> 31) & 1));
        const int s = -layer.data.shift[c];
        const int out = ((h + (h >> 31) + (1 << (s - 1))) >> s) + layer.workload.output_zero_point;
        ASSERT_EQ(std::clamp(out, -128, 127),
                  requantise_reference(layer.workload, static_cast<int32_t>(a),
                                       layer.data.multiplier[c], layer.data.shift[c]));
      }
  }
}

TEST(ShortRequantise, IsRefusedForLeftShiftsAndOverflow) {
  RandomLayer layer = random_layer(small_layer(0), Scales::kTypical, 1);
  layer.data.shift[2] = 0;
  EXPECT_FALSE(short_requantise_proved(layer.workload, layer.data));
  layer.data.shift[2] = 3;
  EXPECT_FALSE(short_requantise_proved(layer.workload, layer.data));
  layer.data.shift[2] = -8;
  EXPECT_TRUE(short_requantise_proved(layer.workload, layer.data));
  layer.data.bias[0] = INT32_MAX;
  EXPECT_FALSE(short_requantise_proved(layer.workload, layer.data));
}

TEST(ShiftedRequantise, AgreesWithTheReferenceOnEveryReachableAccumulator) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    RandomLayer layer = random_layer(small_layer(9), Scales::kTypical, seed);
    for (size_t c = 0; c < layer.data.shift.size(); c += 2)
      layer.data.shift[c] = static_cast<int>(seed + c) % 12 - 1;
    ASSERT_TRUE(shifted_requantise_proved(layer.workload, layer.data));
    const auto ranges = accumulator_ranges(layer.workload, layer.data);
    for (size_t c = 0; c < ranges.size(); ++c)
      for (int64_t a = ranges[c].low; a <= ranges[c].high; ++a) {
        const int shift = right_shift(layer.data, static_cast<int>(c));
        const int left = std::max(-shift, 0), s = std::max(shift, 0);
        const int64_t product = (a << left) * (2 * int64_t{layer.data.multiplier[c]});
        const auto h = static_cast<int32_t>((product >> 32) + ((product >> 31) & 1));
        const int half = static_cast<int>((1u << s) >> 1);
        const int out = ((h + ((h >> 31) & (-s >> 31)) + half) >> s) + 9;
        ASSERT_EQ(std::clamp(out, -128, 127),
                  requantise_reference(layer.workload, static_cast<int32_t>(a),
                                       layer.data.multiplier[c], layer.data.shift[c]));
      }
  }
}

TEST(ShiftedRequantise, IsRefusedWhereTheReferencesShiftWraps) {
  RandomLayer layer = random_layer(small_layer(0), Scales::kTypical, 1);
  layer.data.shift[2] = 10;
  EXPECT_TRUE(shifted_requantise_proved(layer.workload, layer.data));
  layer.data.bias[2] = 1 << 22;
  EXPECT_FALSE(shifted_requantise_proved(layer.workload, layer.data));
  EXPECT_FALSE(fuse_requantise(layer.workload, layer.data));
  EXPECT_EQ(prove_facts(layer.workload, layer.data).requantise, Requantise::kLong);
}

TEST(WeightFacts, AMultiplierOfZero_TakesNothingFromItsLayer) {
  for (const int zero_point : {-128, 3}) {
    RandomLayer layer = random_layer(small_layer(zero_point), Scales::kTypical, 1);
    const Requantise before = layer.workload.facts.requantise;
    for (const int shift : {0, 3, -31}) {
      layer.data.multiplier[2] = 0, layer.data.shift[2] = shift;
      EXPECT_EQ(prove_facts(layer.workload, layer.data).requantise, before) << shift;
    }
  }
}

TEST(WeightFacts, AScaleFromOneHalfOn_IsShiftedAtWorst) {
  RandomLayer layer = random_layer(small_layer(3), Scales::kTypical, 1);
  ASSERT_EQ(layer.workload.facts.requantise, Requantise::kShort);
  for (const int shift : {0, 1, 4}) {
    layer.data.shift[2] = shift;
    EXPECT_EQ(prove_facts(layer.workload, layer.data).requantise, Requantise::kShifted) << shift;
  }
}

TEST(WeightFacts, LaneGroupIsTheLargestThatFitsEveryChannel) {
  Workload w;
  w.in_c = 8, w.out_c = 2;
  LayerData data{std::vector<int8_t>(16, 10), {0, 0}, {1 << 30, 1 << 30}, {-8, -8}};
  // 8 * 10 * 128 = 10240 fits, and no group is longer than the reduction.
  EXPECT_GE(prove_facts(w, data).lane_group, 8);
  data.weights[3] = 127, data.weights[2] = 127;  // one pair at 254: still 128 * 254 = 32512
  EXPECT_EQ(prove_facts(w, data).lane_group, 2);
  data.weights[2] = -128;
  EXPECT_EQ(prove_facts(w, data).lane_group, 2);
  data.weights[3] = -128;
  EXPECT_EQ(prove_facts(w, data).lane_group, 1);
}

}  // namespace
}  // namespace tinytune
