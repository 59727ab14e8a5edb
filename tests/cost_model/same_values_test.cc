#include "cost_model/same_values.h"

#include <gtest/gtest.h>

namespace tinytune {
namespace {

class SameValuesTest : public testing::Test {
 protected:
  SameValuesTest() {
    const auto anything = [](const Schedule&) { return true; };
    space_.add({"tiles", 1, {int_knob("a", {1, 2, 4}), int_knob("b", {1, 2, 4})}}, anything);
    space_.add({"other", 1, {int_knob("a", {1, 2, 4})}}, anything);
  }
  size_t tile(uint16_t a, uint16_t b) const { return *space_.find(0, {a, b}); }

  ConfigSpace space_;
};

constexpr double kSlow = 20;

TEST_F(SameValuesTest, NothingTold_EveryValueStandsForItself) {
  const SameValues same(space_);
  for (size_t v = 0; v < 3; ++v) EXPECT_EQ(same.first_like(0, 0, v), v);
  EXPECT_TRUE(same.are_one(tile(1, 1), tile(1, 1)));
  EXPECT_FALSE(same.are_one(tile(1, 1), tile(1, 2)));
}

TEST_F(SameValuesTest, PairThatTookTheSameTime_MakesItsValuesOneEverywhere) {
  SameValues same(space_);
  same.find(std::vector<KnobSample>{{tile(0, 1), 10}, {tile(0, 2), 10}, {tile(2, 0), kSlow}});
  EXPECT_TRUE(same.are_one(tile(2, 1), tile(2, 2)));
  EXPECT_EQ(same.first_like(0, 1, 2), 1U);
  EXPECT_FALSE(same.are_one(tile(2, 0), tile(2, 1)));
  EXPECT_EQ(same.first_like(1, 0, 2), 2U);  // another family's
}

TEST_F(SameValuesTest, PairThatDiffersElsewhere_Contradicts) {
  SameValues same(space_);
  same.find(std::vector<KnobSample>{
      {tile(0, 1), 10}, {tile(0, 2), 10}, {tile(1, 1), 11}, {tile(1, 2), 12}, {0, kSlow}});
  EXPECT_FALSE(same.are_one(tile(0, 1), tile(0, 2)));
}

TEST_F(SameValuesTest, ValuesThatAreOneOnlyOneAtATime_AreNotOneTogether) {
  SameValues same(space_);
  same.find(std::vector<KnobSample>{
      {tile(0, 0), 10}, {tile(1, 0), 10}, {tile(0, 1), 10}, {tile(1, 1), 11}, {0, kSlow}});
  EXPECT_FALSE(same.are_one(tile(0, 0), tile(1, 1)));
}

TEST_F(SameValuesTest, PointsThatDifferInMore_SayNothing) {
  SameValues same(space_);
  same.find(std::vector<KnobSample>{{tile(0, 1), 10}, {tile(1, 2), 10}, {tile(2, 0), kSlow}});
  EXPECT_FALSE(same.are_one(tile(0, 1), tile(1, 2)));
}

TEST_F(SameValuesTest, Failures_AreNotTheSameKernel) {
  SameValues same(space_);
  same.find(std::vector<KnobSample>{{tile(0, 1), kSlow}, {tile(0, 2), kSlow}, {tile(0, 0), 10}});
  EXPECT_FALSE(same.are_one(tile(0, 1), tile(0, 2)));
}

TEST_F(SameValuesTest, FoundAgain_ForgetsWhatWasFound) {
  SameValues same(space_);
  same.find(std::vector<KnobSample>{{tile(0, 1), 10}, {tile(0, 2), 10}, {tile(2, 0), kSlow}});
  same.find(std::vector<KnobSample>{{tile(0, 1), 10}, {tile(0, 2), 11}, {tile(2, 0), kSlow}});
  EXPECT_FALSE(same.are_one(tile(0, 1), tile(0, 2)));
}

}  // namespace
}  // namespace tinytune
