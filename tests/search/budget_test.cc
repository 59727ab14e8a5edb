#include "search/budget.h"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <functional>

namespace tinytune {
namespace {

using Cycles = std::function<double(size_t trial)>;

Observation ok(double cycles) { return {0, Outcome::kOk, {static_cast<uint64_t>(cycles)}}; }

/// Tasks that share no layer; task t stands for `counts[t]` layers.
std::vector<std::vector<int>> apart(const std::vector<int>& counts) {
  std::vector<std::vector<int>> layers;
  int next = 0;
  for (const int count : counts) {
    layers.emplace_back();
    for (int i = 0; i < count; ++i) layers.back().push_back(next++);
  }
  return layers;
}

// Runs `trials` trials; a task's n-th outcome is its curve at n. Returns the trials of each task.
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

TEST(Budget, NothingKnown_EveryTaskGetsItsDefaultFirst) {
  Budget budget(apart({1, 1, 100}));
  const auto spent = spend(budget, {constant(1), constant(1e6), constant(1e9)}, 3);
  for (size_t s : spent) EXPECT_EQ(s, 1u);
}

TEST(Budget, TaskThatPromisesNothing_GetsItsMinimumInTheEnd) {
  Budget budget(apart({1, 1}));
  const auto spent = spend(budget, {constant(10), constant(1e9)}, 10 * Budget::kMinimumTrials);
  EXPECT_EQ(spent[0], Budget::kMinimumTrials);
}

TEST(Budget, FewTrialsForManyTasks_GoToTheOneThatTakesTheTime) {
  // 28 tasks, one of which has 60 % of the cycles.
  std::vector<Cycles> curves(28, constant(40e6 / 27));
  curves[13] = constant(60e6);
  Budget budget(apart(std::vector<int>(28, 1)));
  const auto spent = spend(budget, curves, 100, 16);
  EXPECT_GE(spent[13], 15u);
  for (size_t s : spent) EXPECT_GE(s, 1u) << "a network needs a kernel for every layer";
}

TEST(Budget, AlternativeThatCannotOvertake_GetsLittle) {
  // One layer in two layouts, at 1.0 and at 3.0 million cycles.
  Budget budget({{0}, {0}});
  const auto spent = spend(budget, {constant(1.0e6), constant(3.0e6)}, 256, 16);
  EXPECT_LE(spent[1], 2 * Budget::kMinimumTrials);
  EXPECT_EQ(spent[0] + spent[1], 256u);
}

TEST(Budget, AlternativeThatKeepsImproving_IsFollowed) {
  // The slower one falls by 4 % a trial at first and overtakes in time.
  Budget budget({{0}, {0}});
  const auto spent = spend(budget, {constant(1.0e6), falling(1.5e6, 0.04)}, 128);
  EXPECT_GT(spent[1], spent[0]);
}

TEST(Budget, AlternativesOfOneLayer_DoNotTakeTheBudgetOfTwo) {
  Budget budget({{0}, {0}, {1}});
  const auto spent = spend(budget, {constant(1e6), constant(3e6), constant(1e6)}, 300, 4);
  EXPECT_NEAR(static_cast<double>(spent[0]), static_cast<double>(spent[2]), 12);
}

TEST(Budget, OkWithoutCycles_CountsAsAFailure) {
  Budget budget(apart({1, 1}));
  for (size_t i = 0; i < 40; ++i) {
    const size_t t = *budget.next();
    budget.proposed(t);
    budget.observed(t, t == 0 ? ok(0) : Observation{0, Outcome::kOk});
  }
  EXPECT_TRUE(budget.next().has_value());
  budget.observed(0, ok(1000));
  budget.observed(1, ok(10));
  EXPECT_EQ(budget.next(), 0u) << "no zero stands for the best so far";
}

TEST(Budget, StillImprovingTask_GetsMost) {
  Budget budget(apart({1, 1, 1}));
  const auto spent = spend(budget, {constant(1e6), falling(1e6, 0.01), constant(1e6)}, 200);
  EXPECT_GT(spent[1], spent[0] + spent[2]);
}

TEST(Budget, LargerTask_GetsMoreButTheSmallOneIsNotStarved) {
  Budget budget(apart({1, 1}));
  const auto spent = spend(budget, {constant(1e6), constant(1e4)}, 400);
  EXPECT_GT(spent[0], 4 * spent[1]);
  EXPECT_GT(spent[1], Budget::kMinimumTrials);
}

TEST(Budget, TaskOfManyLayers_CountsManyTimes) {
  Budget budget(apart({9, 1}));
  const auto spent = spend(budget, {constant(1e6), constant(1e6)}, 400);
  EXPECT_GT(spent[0], 2 * spent[1]);
}

TEST(Budget, ExhaustedTasks_GetNothingAndTheLastEndsTheRun) {
  Budget budget(apart({1, 1}));
  budget.exhausted(0);
  EXPECT_EQ(budget.next(), 1u);
  budget.exhausted(1);
  EXPECT_FALSE(budget.next().has_value());
  EXPECT_FALSE(Budget({}).next().has_value());
}

TEST(Budget, ProposalsAheadOfOutcomes_AreSpreadToo) {
  Budget budget(apart({1, 1, 1, 1}));
  const auto spent =
      spend(budget, {constant(1e6), constant(1e6), constant(1e6), constant(1e6)}, 16, 1000);
  for (size_t s : spent) EXPECT_EQ(s, 4u);
}

TEST(Budget, SmallTasksWhoseFirstTrialIsOut_AreNotPaidForInAdvance) {
  Budget budget(apart({1, 1, 1, 1, 1, 1, 1, 1}));
  std::vector<Cycles> curves(8, constant(1e4));
  curves[0] = constant(1e6);
  // When each task had its first proposal, the last tasks' outcomes are still pending.
  const auto spent = spend(budget, curves, 12, 4);
  EXPECT_EQ(spent[0], 5u);
}

TEST(Budget, EarlierLog_CountsAsTrials) {
  Budget budget(apart({1, 1}));
  for (size_t i = 0; i < 100; ++i) budget.observed(0, ok(1e6));
  const auto spent = spend(budget, {constant(1e6), constant(1e6)}, 90);
  EXPECT_EQ(spent[0], 0u);
  EXPECT_EQ(spent[1], 90u);
}

TEST(Budget, TaskWithoutAValidKernel_IsTriedLikeTheDearest) {
  Budget budget(apart({1, 1, 1}));
  std::vector<size_t> spent(3);
  for (int i = 0; i < 200; ++i) {
    const size_t t = *budget.next();
    budget.proposed(t);
    ++spent[t];
    budget.observed(t, t == 2 ? Observation{0, Outcome::kBuildFailed} : ok(t == 0 ? 1e6 : 1e4));
  }
  EXPECT_GT(spent[2], spent[1]);
}

TEST(Budget, SameHistory_SameChoices) {
  Budget a(apart({1, 2, 3})), b(apart({1, 2, 3}));
  const std::vector<Cycles> curves = {falling(1e6, 0.01), falling(3e5, 0.02), constant(1e5)};
  EXPECT_EQ(spend(a, curves, 300, 8), spend(b, curves, 300, 8));
}

TEST(Budget, SyntheticNetwork_EndsFasterThanAnEvenSplit) {
  // Twelve tasks of very different size; their best falls like optimum * (1 + 1 / sqrt(n)).
  std::vector<double> cycles;
  std::vector<int> weights;
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
  Budget budget(apart(weights));
  const auto spent = spend(budget, curves, 12 * 64, 4);
  EXPECT_LT(network(spent), network(std::vector<size_t>(12, 64)));
}

}  // namespace
}  // namespace tinytune
