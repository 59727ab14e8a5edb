// Promises that every strategy keeps.
#include "search/strategy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <set>

#include "base/rng.h"
#include "tests/search/landscapes.h"

namespace tinytune {
namespace {

using landscapes::Landscape;

std::unique_ptr<Strategy> make(const std::string& name, const Landscape& landscape,
                               uint64_t seed = 1, size_t default_point = 0) {
  auto strategy = make_strategy(name, landscape.problem(seed, default_point));
  EXPECT_TRUE(strategy.has_value());
  return std::move(strategy).value();
}

// Proposes up to `trials` points, with up to `ahead` of them pending, and returns them.
std::vector<size_t> trajectory(Strategy& strategy, const Landscape& landscape, size_t trials,
                               size_t ahead) {
  std::vector<size_t> proposed;
  size_t told = 0;
  while (proposed.size() < trials) {
    const auto point = strategy.propose();
    if (!point) break;
    proposed.push_back(point->point);
    if (proposed.size() - told >= ahead) strategy.observe(landscape.outcomes[proposed[told++]]);
  }
  return proposed;
}

class EveryStrategy : public testing::TestWithParam<std::string> {
 protected:
  const Landscape& small() {
    static const Landscape landscape = landscapes::two_hundred_points();
    return landscape;
  }
};

INSTANTIATE_TEST_SUITE_P(Strategies, EveryStrategy, testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (std::string_view n : strategy_names()) names.emplace_back(n);
                           return names;
                         }()),
                         [](const auto& info) { return info.param; });

TEST_P(EveryStrategy, WalksTheWholeSpaceOnce_ThenStops) {
  for (size_t ahead : {1, 16}) {
    auto strategy = make(GetParam(), small());
    const auto points = trajectory(*strategy, small(), 1000, ahead);
    ASSERT_EQ(points.size(), 200u);
    EXPECT_EQ(std::set<size_t>(points.begin(), points.end()).size(), 200u);
    EXPECT_LT(*std::max_element(points.begin(), points.end()), 200u);
    EXPECT_FALSE(strategy->propose().has_value());
    EXPECT_FALSE(strategy->propose().has_value()) << "done stays done";
  }
}

TEST_P(EveryStrategy, SameSeedAndCalls_SameTrajectory) {
  for (size_t ahead : {1, 3, 16}) {
    const auto once = trajectory(*make(GetParam(), small(), 7), small(), 120, ahead);
    const auto again = trajectory(*make(GetParam(), small(), 7), small(), 120, ahead);
    EXPECT_EQ(once, again) << ahead << " ahead";
  }
}

TEST_P(EveryStrategy, DefaultPoint_ComesFirst) {
  EXPECT_EQ(make(GetParam(), small(), 1, 42)->propose()->point, 42u);
}

TEST_P(EveryStrategy, NobodyChoseADefault_WalksTheWholeSpaceOnce) {
  for (size_t ahead : {1, 16}) {
    auto strategy = make_strategy(GetParam(), small().problem(5)).value();
    const auto points = trajectory(*strategy, small(), 1000, ahead);
    EXPECT_EQ(std::set<size_t>(points.begin(), points.end()).size(), 200u);
    EXPECT_EQ(points.size(), 200u);
  }
}

TEST_P(EveryStrategy, StageOfTheRun_IsWhatIsAskedFor) {
  for (const Fidelity stage : {Fidelity::kSimulate, Fidelity::kBoard}) {
    SearchProblem problem = small().problem(1);
    problem.last_stage = stage;
    const auto strategy = make_strategy(GetParam(), std::move(problem));
    EXPECT_EQ((*strategy)->propose()->stage, stage);
    EXPECT_EQ((*strategy)->propose()->stage, stage);
  }
}

TEST_P(EveryStrategy, EarlierLog_IsNeitherRepeatedNorCounted) {
  auto strategy = make(GetParam(), small(), 3, 42);
  std::set<size_t> known;
  Rng rng(17);
  while (known.size() < 90) known.insert(rng.below(200));
  known.insert(42);
  for (size_t point : known) strategy->observe(small().outcomes[point]);
  const auto points = trajectory(*strategy, small(), 1000, 4);
  EXPECT_EQ(points.size(), 200 - known.size());
  for (size_t point : points) EXPECT_FALSE(known.contains(point)) << point;
}

TEST_P(EveryStrategy, SilentDevice_DoesNotStopProposals) {
  auto strategy = make(GetParam(), small());
  std::set<size_t> points;
  while (const auto point = strategy->propose()) EXPECT_TRUE(points.insert(point->point).second);
  EXPECT_EQ(points.size(), 200u);
}

TEST_P(EveryStrategy, NothingEverRuns_WalksOnWithoutRepeating) {
  Landscape broken = small();
  for (Observation& o : broken.outcomes) o = {o.point, Outcome::kCrashed};
  const auto points = trajectory(*make(GetParam(), broken), broken, 1000, 8);
  EXPECT_EQ(std::set<size_t>(points.begin(), points.end()).size(), 200u);
}

TEST_P(EveryStrategy, FlatLandscape_WalksOnWithoutRepeating) {
  Landscape flat = small();
  for (Observation& o : flat.outcomes) o = landscapes::ran(o.point, 1000);
  const auto points = trajectory(*make(GetParam(), flat), flat, 1000, 8);
  EXPECT_EQ(std::set<size_t>(points.begin(), points.end()).size(), 200u);
}

TEST_P(EveryStrategy, TinyAndEmptySpaces_EndEarly) {
  Landscape landscape;
  landscape.describe = [](size_t) { return LoopNest{}; };
  EXPECT_FALSE(make(GetParam(), landscape)->propose().has_value());
  landscape.space.add({"single", 1, {}}, [](const Schedule&) { return true; });
  landscape.outcomes = {landscapes::ran(0, 10)};
  EXPECT_EQ(trajectory(*make(GetParam(), landscape), landscape, 10, 1), std::vector<size_t>{0});
}

TEST_P(EveryStrategy, UnionOfFamilies_IsWalkedWhole) {
  Landscape landscape;
  const auto anything = [](const Schedule&) { return true; };
  landscape.space.add({"one", 1, {int_knob("a", {1, 2, 3, 4, 5, 6})}}, anything);
  landscape.space.add({"two", 1, {int_knob("a", {1, 2, 3, 4, 5}), {"b", {"x", "y", "z"}}}},
                      anything);
  landscape.space.add({"none", 1, {}}, anything);
  landscape.describe = [](size_t) { return LoopNest{}; };
  for (size_t p = 0; p < landscape.space.size(); ++p)
    landscape.outcomes.push_back(landscapes::ran(p, 100.0 + static_cast<double>(p % 5)));
  EXPECT_EQ(trajectory(*make(GetParam(), landscape), landscape, 100, 2).size(), 22u);
}

TEST(StrategyTable, UnknownName_ListsTheKnownOnes) {
  const Landscape landscape = landscapes::two_hundred_points();
  const auto r = make_strategy("magic", landscape.problem(1));
  ASSERT_FALSE(r.has_value());
  EXPECT_EQ(r.error().code(), ErrorCode::kInvalidInput);
  EXPECT_EQ(
      r.error().message(),
      "no search strategy 'magic'; there are bayes, xgb, annealing, droplet, genetic, random, "
      "grid");
}

TEST(Random, Seeds_GiveDifferentWalks) {
  const Landscape landscape = landscapes::two_hundred_points();
  EXPECT_NE(trajectory(*make("random", landscape, 1), landscape, 50, 1),
            trajectory(*make("random", landscape, 2), landscape, 50, 1));
}

TEST(Grid, AnyPrefix_LeavesNoGapMuchWiderThanItsShare) {
  const Landscape landscape = landscapes::two_hundred_points();
  auto points = trajectory(*make("grid", landscape), landscape, 25, 1);
  points.push_back(200);
  std::sort(points.begin(), points.end());
  for (size_t i = 1; i < points.size(); ++i) EXPECT_LE(points[i] - points[i - 1], 16u);
}

}  // namespace
}  // namespace tinytune
