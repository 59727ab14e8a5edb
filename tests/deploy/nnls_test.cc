#include "deploy/calibration/nnls.h"

#include <gtest/gtest.h>

#include "base/rng.h"

namespace tinytune::test {
namespace {

TEST(NonnegativeFit, ExactEquations_GiveTheirUnknowns) {
  const std::vector<Equation> equations = {{{1, 2}, 8}, {{3, 1}, 9}, {{1, 1}, 5}};
  const auto fit = fit_nonnegative(equations, 2);
  EXPECT_NEAR(fit[0], 2, 1e-9);
  EXPECT_NEAR(fit[1], 3, 1e-9);
}

// Unconstrained, the answer is (-1, 3); clamping it to (0, 3) would be worse than this fit.
TEST(NonnegativeFit, UnknownThatWouldBeNegative_IsNothingAndTheOthersAreFittedWithoutIt) {
  const std::vector<Equation> equations = {{{1, 1}, 2}, {{1, 2}, 5}, {{1, 3}, 8}};
  const auto fit = fit_nonnegative(equations, 2);
  EXPECT_EQ(fit[0], 0);
  EXPECT_NEAR(fit[1], (2 + 10 + 24) / 14.0, 1e-9);
}

TEST(NonnegativeFit, UnknownOfNoEquation_IsNothing) {
  const std::vector<Equation> equations = {{{2, 0}, 8}, {{1, 0}, 4}};
  const auto fit = fit_nonnegative(equations, 2);
  EXPECT_NEAR(fit[0], 4, 1e-9);
  EXPECT_EQ(fit[1], 0);
}

TEST(NonnegativeFit, NoStepAwayFromTheAnswer_LessensTheError) {
  Rng rng(7);
  const auto number = [&] { return static_cast<double>(rng.below(2001)) / 1000 - 1; };
  for (int round = 0; round < 50; ++round) {
    std::vector<Equation> equations(8);
    for (Equation& e : equations) {
      for (int i = 0; i < 4; ++i) e.factors.push_back(number());
      e.value = number();
    }
    const auto error = [&](const std::vector<double>& at) {
      double sum = 0;
      for (const Equation& e : equations) {
        double off = -e.value;
        for (size_t i = 0; i < at.size(); ++i) off += e.factors[i] * at[i];
        sum += off * off;
      }
      return sum;
    };
    const auto fit = fit_nonnegative(equations, 4);
    for (size_t i = 0; i < fit.size(); ++i) {
      EXPECT_GE(fit[i], 0) << "round " << round;
      for (const double step : {-1e-4, 1e-4}) {
        auto beside = fit;
        beside[i] += step;
        if (beside[i] < 0) continue;
        EXPECT_GE(error(beside), error(fit) - 1e-12) << "round " << round;
      }
    }
  }
}

}  // namespace
}  // namespace tinytune::test
