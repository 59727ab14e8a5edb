#include "search/budget.h"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <functional>

namespace tinytune {
namespace {

using Cycles = std::function<double(size_t trial)>;

Observation ok(double cycles) { return {0, Outcome::kOk, cycles}; }

// Runs `trials` trials, the outcome of a task's n-th one given by its curve, and counts them.
std::vector<size_t> spend(Budget& budget, const std::vector<Cycles>& curves, size_t trials,
                          size_t ahead = 1) {
  std::vector<size_t> spent(curves.size(), 0), told(curves.size(), 0);
  std::deque<size_t> out;
  for (size_t i = 0; i < trials; ++i) {
    const auto task = budget.next();
    if (!task) break;
    budget.proposed(*task);
    ++spent[*task];
    out.push_back(*task);
    if (out.size() < ahead) continue;
    budget.observed(out.front(), ok(curves[out.front()](told[out.front()]++)));
    out.pop_front();
  }
  return spent;
}

Cycles constant(double cycles) {
  return [=](size_t) { return cycles; };
}
Cycles falling(double from, double per_trial) {
  return [=](size_t n) { return from * std::pow(1 - per_trial, static_cast<double>(n)); };
}

TEST(Budget, NothingKnown_EveryTaskGetsItsMinimumFirst) {
  Budget budget({1, 1, 100});
  const auto spent =
      spend(budget, {constant(1), constant(1e6), constant(1e9)}, 3 * Budget::kMinimumTrials);
  for (size_t s : spent) EXPECT_EQ(s, Budget::kMinimumTrials);
}

TEST(Budget, StillImprovingTask_GetsMost) {
  Budget budget({1, 1, 1});
  const auto spent = spend(budget, {constant(1e6), falling(1e6, 0.01), constant(1e6)}, 200);
  EXPECT_GT(spent[1], spent[0] + spent[2]);
}

TEST(Budget, LargerTask_GetsMoreButTheSmallOneIsNotStarved) {
  Budget budget({1, 1});
  const auto spent = spend(budget, {constant(1e6), constant(1e4)}, 400);
  EXPECT_GT(spent[0], 4 * spent[1]);
  EXPECT_GT(spent[1], Budget::kMinimumTrials);
}

TEST(Budget, TaskOfManyLayers_CountsManyTimes) {
  Budget budget({9, 1});
  const auto spent = spend(budget, {constant(1e6), constant(1e6)}, 400);
  EXPECT_GT(spent[0], 2 * spent[1]);
}

TEST(Budget, ExhaustedTasks_GetNothingAndTheLastEndsTheRun) {
  Budget budget({1, 1});
  budget.exhausted(0);
  EXPECT_EQ(budget.next(), 1u);
  budget.exhausted(1);
  EXPECT_FALSE(budget.next().has_value());
  EXPECT_FALSE(Budget({}).next().has_value());
}

TEST(Budget, ProposalsAheadOfOutcomes_AreSpreadToo) {
  Budget budget({1, 1, 1, 1});
  const auto spent =
      spend(budget, {constant(1e6), constant(1e6), constant(1e6), constant(1e6)}, 16, 1000);
  for (size_t s : spent) EXPECT_EQ(s, 4u);
}

TEST(Budget, EarlierLog_CountsAsTrials) {
  Budget budget({1, 1});
  for (size_t i = 0; i < 100; ++i) budget.observed(0, ok(1e6));
  const auto spent = spend(budget, {constant(1e6), constant(1e6)}, 90);
  EXPECT_EQ(spent[0], 0u);
  EXPECT_EQ(spent[1], 90u);
}

TEST(Budget, TaskWithoutAValidKernel_IsTriedLikeTheDearest) {
  Budget budget({1, 1, 1});
  std::vector<size_t> spent(3);
  for (int i = 0; i < 200; ++i) {
    const size_t t = *budget.next();
    budget.proposed(t);
    ++spent[t];
    budget.observed(t, t == 2 ? Observation{0, Outcome::kBuildFailed, 0} : ok(t == 0 ? 1e6 : 1e4));
  }
  EXPECT_GT(spent[2], spent[1]);
}

TEST(Budget, SameHistory_SameChoices) {
  Budget a({1, 2, 3}), b({1, 2, 3});
  const std::vector<Cycles> curves = {falling(1e6, 0.01), falling(3e5, 0.02), constant(1e5)};
  EXPECT_EQ(spend(a, curves, 300, 8), spend(b, curves, 300, 8));
}

TEST(Budget, SyntheticNetwork_EndsFasterThanAnEvenSplit) {
  // Twelve tasks of very different size whose best falls like optimum * (1 + 1 / sqrt(n)).
  std::vector<double> cycles, weights;
  for (size_t t = 0; t < 12; ++t) {
    cycles.push_back(1e6 / std::pow(2, static_cast<double>(t)));
    weights.push_back(t % 3 == 0 ? 4 : 1);
  }
  std::vector<Cycles> curves;
  for (double c : cycles)
    curves.push_back(
        [=](size_t n) { return c * (1 + 1 / std::sqrt(1.0 + static_cast<double>(n))); });
  const auto network = [&](const std::vector<size_t>& spent) {
    double sum = 0;
    for (size_t t = 0; t < 12; ++t) sum += weights[t] * curves[t](spent[t] - 1);
    return sum;
  };
  Budget budget(weights);
  const auto spent = spend(budget, curves, 12 * 64, 4);
  EXPECT_LT(network(spent), network(std::vector<size_t>(12, 64)));
}

}  // namespace
}  // namespace tinytune
