#include "base/rng.h"

#include <gtest/gtest.h>

#include <array>

namespace tinytune {
namespace {

TEST(Rng, KnownSeed_GivesThePublishedSplitMix64Sequence) {
  // Reference outputs of SplitMix64 for seed 1234567 (Rosetta Code, "Pseudo-random numbers").
  Rng rng(1234567);
  EXPECT_EQ(rng.next(), 6457827717110365317ULL);
  EXPECT_EQ(rng.next(), 3203168211198807973ULL);
  EXPECT_EQ(rng.next(), 9817491932198370423ULL);
}

TEST(Rng, Below_StaysInRangeAndReachesEveryValueEvenly) {
  Rng rng(5);
  std::array<int, 7> count{};
  for (int i = 0; i < 70000; ++i) {
    const uint64_t value = rng.below(7);
    ASSERT_LT(value, 7u);
    ++count[value];
  }
  for (int c : count) EXPECT_NEAR(c, 10000, 500);  // five standard deviations
  EXPECT_EQ(rng.below(1), 0u);
}

TEST(Rng, Uniform_StaysBelowOneAndAveragesAHalf) {
  Rng rng(6);
  double sum = 0;
  for (int i = 0; i < 10000; ++i) {
    const double u = rng.uniform();
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    sum += u;
  }
  EXPECT_NEAR(sum / 10000, 0.5, 0.02);
}

TEST(Rng, Fork_DependsOnPurposeAndLeavesTheParentAlone) {
  Rng parent(9), untouched(9);
  Rng a = parent.fork("a"), b = parent.fork("b"), again = parent.fork("a");
  EXPECT_EQ(parent.next(), untouched.next());
  const uint64_t first = a.next();
  EXPECT_EQ(first, again.next());
  EXPECT_NE(first, b.next());
}

TEST(RngDeathTest, EmptyRange_IsOurBug) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(Rng(1).below(0), "empty range");
}

}  // namespace
}  // namespace tinytune
