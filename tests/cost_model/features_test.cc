#include "cost_model/features.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/hash.h"
#include "cost_model/nest_facts.h"

namespace tinytune {
namespace {

using Kind = Loop::Kind;

// 8 pixels by 16 channels, reduction of 32, tiled 2 by 4, the reduction unrolled by 2.
LoopNest matrix_product() {
  LoopNest nest;
  nest.loops = {{"oc_outer", 4, Kind::kSerial, false}, {"px_outer", 4, Kind::kSerial, false},
                {"k", 16, Kind::kSerial, true},        {"ku", 2, Kind::kUnrolled, true},
                {"px", 2, Kind::kUnrolled, false},     {"oc", 4, Kind::kUnrolled, false}};
  nest.accesses = {{"input", 1, false, {0, 64, 2, 1, 32, 0}},
                   {"weights", 1, false, {128, 0, 8, 4, 0, 1}},
                   {"output", 1, true, {4, 32, 0, 0, 16, 1}}};
  nest.macs = 8 * 16 * 32;
  nest.outputs = 8 * 16;
  nest.accumulators = 8;
  nest.unrolled_body = 16;
  return nest;
}

double feature(const LoopNest& nest, const std::string& name) {
  const std::vector<std::string>& names = feature_names();
  const auto found = std::find(names.begin(), names.end(), name);
  EXPECT_NE(found, names.end()) << name;
  return features_of(nest).at(static_cast<size_t>(found - names.begin()));
}

TEST(Features, TableAndVersion_ChangeTogether) {
  Fnv1a hash;
  for (const std::string& name : feature_names()) hash.add(name).add("\n");
  EXPECT_EQ(hex64(hash.value()), "6ab318b55b1fe2d8")
      << "The columns changed: raise kFeatureVersion, then write the new pair here.";
  EXPECT_EQ(kFeatureVersion, 3);
}

TEST(Features, Names_AreUniqueAndOneValueEach) {
  const std::vector<std::string>& names = feature_names();
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  EXPECT_EQ(features_of(matrix_product()).size(), names.size());
}

TEST(NestFacts, MatrixProduct_CountsByHand) {
  const LoopNest nest = matrix_product();
  const NestFacts f = facts_of(nest);
  EXPECT_EQ(f.steps, 4096);
  EXPECT_EQ(f.body_steps, 16);
  EXPECT_EQ(f.reduction, 32);
  EXPECT_EQ(f.body_reduction, 2);
  EXPECT_EQ(f.accumulated, 8);
  EXPECT_EQ(f.access[kInput].body_elements, 4);    // 2 pixels of 2 channels
  EXPECT_EQ(f.access[kWeights].body_elements, 8);  // 2 by 4
  EXPECT_EQ(f.body_loads, 12);
  EXPECT_EQ(f.access[kInput].bytes, 8 * 32);
  EXPECT_EQ(f.access[kWeights].bytes, 16 * 32);
  EXPECT_EQ(f.access[kOutput].bytes, 8 * 16);
  EXPECT_EQ(f.access[kWeights].step_bytes, 1);
  EXPECT_EQ(f.access[kOutput].reuse, 16);  // the reduction loop
  ASSERT_EQ(f.serial.size(), 3u);
  EXPECT_EQ(f.serial[0].trips, 16);
  EXPECT_EQ(f.serial[0].reduces, 1);
  EXPECT_EQ(f.serial[0].bytes, 4 + 8 + 8);  // one body's operands and outputs
}

TEST(NestFacts, SlidingWindow_SharesItsOverlap) {
  LoopNest nest;
  nest.loops = {{"x", 8, Kind::kUnrolled, false}, {"tap", 3, Kind::kUnrolled, true}};
  nest.accesses = {{"input", 1, false, {1, 1}}};
  nest.macs = 24;
  EXPECT_EQ(facts_of(nest).access[kInput].elements, 10);
  nest.accesses[0].strides = {2, 1};
  EXPECT_EQ(facts_of(nest).access[kInput].elements, 17);
  nest.accesses[0].strides = {4, 1};
  EXPECT_EQ(facts_of(nest).access[kInput].elements, 24) << "no overlap";
}

TEST(NestFacts, SumsAcrossAnInnerPixelLoop_AreInFlight) {
  LoopNest nest = matrix_product();
  std::swap(nest.loops[1], nest.loops[2]);  // k outside px_outer: sums cannot stay in registers
  for (Access& a : nest.accesses) std::swap(a.strides[1], a.strides[2]);
  EXPECT_EQ(facts_of(nest).accumulated, 4 * 8);
}

TEST(Features, LoopsOfOneTrip_ChangeNothing) {
  LoopNest padded = matrix_product();
  padded.loops.insert(padded.loops.begin() + 4, {"once", 1, Kind::kSerial, true});
  for (Access& a : padded.accesses) a.strides.insert(a.strides.begin() + 4, 999);
  EXPECT_EQ(features_of(padded), features_of(matrix_product()));
}

TEST(Features, Waste_ShowsAsRecomputationAndSteps) {
  LoopNest nest = matrix_product();
  EXPECT_EQ(feature(nest, "recomputed_outputs"), 1);
  EXPECT_EQ(feature(nest, "wasted_steps"), 1);
  nest.loops[1].extent = 5;  // the last tile is partial
  nest.outputs = 5 * 2 * 16;
  nest.accesses[2].strides[1] = 24;
  EXPECT_EQ(feature(nest, "wasted_steps"), 1.25);
  EXPECT_GT(feature(nest, "recomputed_outputs"), 1);
}

TEST(Features, LargerTile_LoadsLessAndSpillsAtSomePoint) {
  LoopNest small = matrix_product(), large = matrix_product();
  large.loops[1].extent = 1, large.loops[4].extent = 8;
  large.accumulators = 32;
  EXPECT_LT(feature(large, "body_loads_per_mac"), feature(small, "body_loads_per_mac"));
  EXPECT_EQ(feature(small, "over_24_registers"), 0);
  EXPECT_GT(feature(large, "over_24_registers"), 0);
}

TEST(Features, EmptyAndHugeNests_StayFinite) {
  LoopNest huge = matrix_product();
  for (Loop& loop : huge.loops) loop.extent = int64_t{1} << 40;
  for (const LoopNest& nest : {LoopNest{}, huge})
    for (float value : features_of(nest)) EXPECT_TRUE(std::isfinite(value));
}

TEST(FeaturesDeathTest, AccessWithoutAStridePerLoop_IsOurBug) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  LoopNest nest = matrix_product();
  nest.accesses[1].strides.pop_back();
  EXPECT_DEATH(features_of(nest), "a stride per loop for weights");
}

}  // namespace
}  // namespace tinytune
