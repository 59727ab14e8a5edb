#include "measure/steady.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/rng.h"

namespace tinytune {
namespace {

using Cycles = std::vector<uint64_t>;

TEST(Steady, TwoEqualCounts_AreEnough) {
  EXPECT_EQ(calls_wanted(Cycles{}), 2);
  EXPECT_EQ(calls_wanted(Cycles{1000}), 1);
  EXPECT_EQ(calls_wanted(Cycles{1000, 1000}), 0);
  EXPECT_EQ(calls_wanted(Cycles{100'000, 100'050}), 0);
}

TEST(Steady, CountsThatDiffer_WantAnInterval) {
  EXPECT_EQ(calls_wanted(Cycles{1000, 1100}), 4);
  EXPECT_EQ(calls_wanted(Cycles{1000, 1004, 1002, 1001, 1003, 1000}), 0);
  EXPECT_GT(calls_wanted(Cycles{1000, 1004, 1002, 1001, 1003, 2000}), 0);
}

TEST(Steady, OneCountFarAway_OnlyTakesMoreCalls) {
  Cycles cycles(11, 1000);
  cycles.push_back(5000);
  cycles.push_back(1020);
  EXPECT_EQ(calls_wanted(cycles), 0);
}

TEST(Steady, NeverAsManyAsTheLimit_IsPassed) {
  Rng rng(3);
  Cycles cycles;
  for (int wanted; (wanted = calls_wanted(cycles)) > 0;)
    for (int i = 0; i < wanted; ++i) cycles.push_back(1000 + rng.below(1000));
  EXPECT_EQ(cycles.size(), static_cast<size_t>(kMostCalls));
}

// Ranks from a table: of 6 samples the interval is 1st to 6th, of 9 2nd to 8th, of 20 6th to 15th.
TEST(Steady, Interval_HasTheRanksOfTheTables) {
  const auto ramp = [](uint64_t count) {
    Cycles cycles;
    for (uint64_t i = 1; i <= count; ++i) cycles.push_back(1000 + i);
    return *median_uncertainty(cycles);
  };
  EXPECT_FALSE(median_uncertainty(Cycles(5, 1000)));
  EXPECT_DOUBLE_EQ(ramp(6), (1006.0 - 1003) / 1003);
  EXPECT_DOUBLE_EQ(ramp(9), (1008.0 - 1005) / 1005);
  EXPECT_DOUBLE_EQ(ramp(20), (1015.0 - 1010) / 1010);
}

// Samples around a known median: the interval must contain it about 95 times in a hundred.
TEST(Steady, Interval_HoldsTheMedianAsOftenAsItSays) {
  Rng rng(8);
  int held = 0;
  constexpr int kRuns = 2000;
  for (int run = 0; run < kRuns; ++run) {
    Cycles cycles;
    for (int i = 0; i < 15; ++i) {
      const double u = rng.uniform();
      cycles.push_back(static_cast<uint64_t>(1e6 * (u < 0.5 ? 0.8 + 0.4 * u : u * u + 0.75)));
    }
    std::ranges::sort(cycles);
    const auto median = static_cast<double>(cycles[7]);
    const double reach = *median_uncertainty(cycles) * median;
    held += median - reach <= 1e6 && 1e6 <= median + reach ? 1 : 0;
  }
  EXPECT_GT(held, kRuns * 93 / 100);
}

}  // namespace
}  // namespace tinytune
