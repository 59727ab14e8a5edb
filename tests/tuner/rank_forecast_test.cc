#include "tuner/rank_forecast.h"

#include <gtest/gtest.h>

#include <vector>

namespace tinytune::test {
namespace {

using Values = std::vector<double>;

TEST(RankCorrelation, SameOrderIsOne_ReverseIsMinusOne) {
  EXPECT_DOUBLE_EQ(*rank_correlation(Values{1, 2, 3, 9}, Values{10, 20, 21, 22}), 1);
  EXPECT_DOUBLE_EQ(*rank_correlation(Values{1, 2, 3, 9}, Values{4, 3, 2, 1}), -1);
}

// Computed by hand: ranks 0, 1.5, 1.5, 3 against 0, 1, 2, 3 give 4.5 / sqrt(4.5 * 5).
TEST(RankCorrelation, EqualValuesShareTheMeanOfTheirPlaces) {
  EXPECT_NEAR(*rank_correlation(Values{1, 2, 2, 3}, Values{1, 2, 3, 4}), 0.948683, 1e-6);
}

TEST(RankCorrelation, TooFewOrAllEqual_IsNone) {
  EXPECT_FALSE(rank_correlation(Values{1, 2, 3}, Values{1, 2, 3}));
  EXPECT_FALSE(rank_correlation(Values{1, 1, 1, 1}, Values{1, 2, 3, 4}));
}

}  // namespace
}  // namespace tinytune::test
