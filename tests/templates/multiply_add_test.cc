// RequantShift's scaling, an accumulator times a multiplier plus an addend, shifted: the fused form
// against whole numbers on every accumulator a layer can reach, and every template's kernels
// against the reference.
#include <gtest/gtest.h>

#include <set>

#include "schedules/check_constants.h"
#include "schedules/requantise.h"
#include "simulator/simulator.h"
#include "templates/kernel_template.h"
#include "tests/templates/each_layer.h"
#include "tests/templates/expect_exact.h"
#include "tests/templates/random_layer.h"

namespace tinytune {
namespace {

// clamp((x * multiplier + addend + 2^(shift - 1)) >> shift), as a network has it.
struct Written {
  int32_t multiplier, addend;
  int shift;
};
void write(RandomLayer& layer, size_t channel, const Written& written) {
  int up = 0;
  while (written.multiplier << up < 1 << 30) ++up;
  layer.data.multiplier[channel] = written.multiplier << up;
  layer.data.shift[channel] = 31 - written.shift - up;
  layer.data.addend[channel] = (int64_t{written.addend} + (int64_t{1} << (written.shift - 1)))
                               << up;
}

TEST(MultiplyAdd, FusedFormAgreesOnEveryReachableAccumulator) {
  for (const int zero_point : {-128, 0})
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      RandomLayer layer =
          random_layer(small_layer(zero_point, Rounding::kMultiplyAdd), Scales::kTypical, seed);
      Rng rng(seed);
      std::vector<Written> all;
      for (size_t c = 0; c < 6; ++c) {
        all.push_back({static_cast<int32_t>(rng.below(900)) + 40,
                       static_cast<int32_t>(rng.below(1 << 22)) - (1 << 21), 16});
        write(layer, c, all.back());
      }
      ASSERT_TRUE(check_constants(layer.workload, layer.data));
      const auto fused = fuse_requantise(layer.workload, layer.data);
      ASSERT_TRUE(fused) << "seed " << seed;
      const auto ranges = accumulator_ranges(layer.workload, layer.data);
      for (size_t c = 0; c < ranges.size(); ++c)
        for (int64_t a = ranges[c].low; a <= ranges[c].high; ++a) {
          const int64_t level =
              ((a * all[c].multiplier + all[c].addend + 32768) >> 16) + zero_point;
          const int wanted = static_cast<int>(std::clamp<int64_t>(level, -128, 127));
          const int64_t high = ((a * (int64_t{1} << fused->left)) * fused->multiplier[c]) >> 32;
          const int64_t got = (high + fused->offset[c]) >> fused->right;
          ASSERT_EQ(std::clamp<int64_t>(got, -128, 127), wanted) << "accumulator " << a;
          ASSERT_EQ(requantise_reference(layer.workload, layer.data, c, static_cast<int32_t>(a)),
                    wanted);
        }
    }
}

TEST(MultiplyAdd, HasNoOtherFormAndAsksForAddends) {
  RandomLayer layer = random_layer(small_layer(0, Rounding::kMultiplyAdd), Scales::kTypical, 1);
  EXPECT_EQ(layer.workload.facts.requantise, Requantise::kFused);
  EXPECT_TRUE(facts_hold(layer.workload, layer.data));
  const auto read = parse_workload(to_text(layer.workload));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, layer.workload);
  EXPECT_TRUE(to_text(layer.workload).ends_with(" fused addend"));
  layer.data.shift[2] = 20;  // no multiplier of a word reaches it
  EXPECT_EQ(prove_facts(layer.workload, layer.data).requantise, Requantise::kLong);
  layer.data.addend.pop_back();
  EXPECT_FALSE(check_constants(layer.workload, layer.data));
}

TEST(MultiplyAdd, EveryTemplateComputesTheReferencesBytes) {
  constexpr const char* kShapes[] = {
      "conv2d_s8 nhwc n1 in5x5x8 out5x5x8 k1x1 s1x1 d1x1 p0,0 g1 m1 zp-128,-128 act-128,127",
      "conv2d_s8 nhwc n1 in7x7x8 out7x7x12 k3x3 s1x1 d1x1 p1,1 g1 m1 zp0,0 act-8,7",
      "conv2d_s8 nchw n1 in9x7x3 out5x4x6 k3x3 s2x2 d1x1 p1,1 g1 m1 zp0,-128 act-128,127",
      "depthwise_conv2d_s8 nhwc n1 in7x5x8 out7x5x8 k3x3 s1x1 d1x1 p1,1 g1 m1 zp0,-128 "
      "act-128,127",
      "depthwise_conv2d_s8 nchw n1 in7x5x8 out7x5x8 k3x3 s1x1 d1x1 p1,1 g1 m1 zp-128,0 "
      "act-128,127",
      "dense_s8 nhwc n1 in1x1x64 out1x1x12 k1x1 s1x1 d1x1 p0,0 g1 m1 zp-128,0 act-128,127"};
  for_each_layer(
      kShapes, " lane1 fused addend",
      [](Simulator& simulator, const Device& device, const RandomLayer& layer,
         const ConfigSpace& space, uint64_t seed) {
        ASSERT_EQ(layer.workload.facts.requantise, Requantise::kFused);
        // Runs the first schedule of each template that the constants permit.
        std::set<size_t> tried;
        for (size_t point = 0; point < space.size(); ++point)
          if (!tried.contains(space.family_of(point)) && packs(layer, space.schedule(point))) {
            tried.insert(space.family_of(point));
            expect_exact(simulator, device, layer, space.schedule(point), seed);
          }
        EXPECT_FALSE(tried.empty());
      });
}

}  // namespace
}  // namespace tinytune
