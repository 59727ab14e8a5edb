#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "base/rng.h"
#include "search/strategy.h"
#include "tests/search/landscapes.h"

namespace tinytune {
namespace {

using landscapes::Landscape;

enum class Start { kAnywhere, kRandomDefault };

size_t median_to_5_percent(const Landscape& landscape, size_t ahead, Start start) {
  std::vector<size_t> trials;
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    SearchProblem problem = landscape.problem(seed);
    if (start == Start::kRandomDefault)
      problem.default_point = Rng(seed).below(landscape.space.size());
    auto strategy = make_strategy("bayes", std::move(problem));
    trials.push_back(landscapes::trials_until(**strategy, landscape, ahead, {0.05})[0]);
  }
  std::sort(trials.begin(), trials.end());
  return trials[trials.size() / 2];
}

// Bounds are 1.5 times the trials that it took when the line was written, of 1,944 points; uniform
// sampling takes some hundreds.
TEST(BayesSearch, SmoothLandscape_IsSolvedWithinItsTrials) {
  const Landscape landscape = landscapes::tiled_convolution(0.03, 0);
  EXPECT_LE(median_to_5_percent(landscape, 1, Start::kAnywhere), 134u);
  EXPECT_LE(median_to_5_percent(landscape, 16, Start::kAnywhere), 84u);
}

TEST(BayesSearch, DefaultThatNobodyThoughtAbout_StillLeavesTheLandscapeSolved) {
  const Landscape landscape = landscapes::tiled_convolution(0.03, 0);
  EXPECT_LE(median_to_5_percent(landscape, 1, Start::kRandomDefault), 150u);
  EXPECT_LE(median_to_5_percent(landscape, 16, Start::kRandomDefault), 150u);
  EXPECT_LE(median_to_5_percent(landscapes::blind_knobs(), 1, Start::kRandomDefault), 92u);
}

TEST(BayesSearch, KnobsNoNestShows_AreSolvedWithinTheirTrials) {
  EXPECT_LE(median_to_5_percent(landscapes::blind_knobs(), 1, Start::kAnywhere), 30u);
}

TEST(BayesSearch, StartsOfEveryFamily_ComeFirstBehindTheDefault) {
  Landscape landscape;
  const auto anything = [](const Schedule&) { return true; };
  for (const char* name : {"one", "two", "three"})
    landscape.space.add({name, 1, {int_knob("a", {1, 2, 3, 4, 5, 6, 7, 8})}}, anything);
  landscape.describe = [](size_t) { return LoopNest{}; };
  SearchProblem problem = landscape.problem(1, 10);
  problem.starts = {10, 3, 20};
  const auto strategy = make_strategy("bayes", std::move(problem)).value();
  for (const size_t point : {10, 3, 20}) EXPECT_EQ(strategy->propose()->point, point);
}

/// Two families of 64 points; the second is three times as slow, and the first point is the best.
Landscape two_families() {
  Landscape landscape;
  const auto anything = [](const Schedule&) { return true; };
  const std::vector<Knob> knobs = {int_knob("a", {1, 2, 4, 8}), int_knob("b", {1, 2, 4, 8}),
                                   int_knob("c", {1, 2, 4, 8})};
  landscape.space.add({"fast", 1, knobs}, anything);
  landscape.space.add({"slow", 1, knobs}, anything);
  landscape.describe = [](size_t) { return LoopNest{}; };
  for (size_t p = 0; p < landscape.space.size(); ++p) {
    const auto& at = landscape.space.coordinates(p);
    const double level = landscape.space.family_of(p) == 0 ? 1000 : 3000;
    landscape.outcomes.push_back(
        landscapes::ran(p, level * (1 + 0.1 * at[0] + 0.05 * at[1] + 0.02 * at[2])));
  }
  return landscape;
}

/// Counts how many of the first trials, started at each family's last point, go to the slow one.
size_t slow_of(const Landscape& landscape, size_t trials) {
  SearchProblem problem = landscape.problem(1, 63);
  problem.starts = {63, 127};
  const auto strategy = make_strategy("bayes", std::move(problem)).value();
  size_t slow = 0;
  for (size_t t = 0; t < trials; ++t) {
    const size_t point = strategy->propose()->point;
    slow += landscape.space.family_of(point);
    strategy->observe(landscape.outcomes[point]);
  }
  return slow;
}

TEST(BayesSearch, FamilyThatIsFarBehind_GetsALookNowAndThen) {
  const Landscape landscape = two_families();
  EXPECT_GE(slow_of(landscape, 48), 1u);
  EXPECT_LE(slow_of(landscape, 48), 4u);
}

TEST(BayesSearch, FamilyThatIsBehind_IsWhatIsLeftInTheEnd) {
  const Landscape landscape = two_families();
  EXPECT_EQ(slow_of(landscape, landscape.space.size()), 64u);
}

TEST(BayesSearch, WindowBeforeAnythingRan_StepsWhereTheNestPromisesMost) {
  Landscape landscape = two_families();
  landscape.describe = [space = landscape.space](size_t point) {
    LoopNest nest;
    nest.loops = {{"pixel", 100}};
    nest.macs = 100;
    nest.multiplies_per_mac = 8 + 0.1 * space.coordinates(point)[0];
    return nest;
  };
  const auto strategy = make_strategy("bayes", landscape.problem(1, 63)).value();
  for (const size_t point : {63, 15, 31, 47}) EXPECT_EQ(strategy->propose()->point, point);
}

// A template that weights may refuse has further starts, which resemble each other.
TEST(BayesSearch, FurtherStartsOfATemplate_ComeBehindOtherTemplates_AndOnlyWhereItIsNotBehind) {
  const Landscape landscape = two_families();
  SearchProblem problem = landscape.problem(1, 0);
  problem.starts = {0, 1, 64, 65};  // the second template's are three times as slow
  const auto strategy = make_strategy("bayes", std::move(problem)).value();
  for (const size_t expected : {0, 64, 1}) {
    const size_t point = strategy->propose()->point;
    EXPECT_EQ(point, expected);
    strategy->observe(landscape.outcomes[point]);
  }
  EXPECT_NE(strategy->propose()->point, 65u);
}

// A failed start says nothing about its template.
TEST(BayesSearch, StartThatFails_IsFollowedByTheNextOfItsTemplate) {
  const Landscape landscape = two_families();
  SearchProblem problem = landscape.problem(1, 0);
  problem.starts = {0, 64, 65};
  const auto strategy = make_strategy("bayes", std::move(problem)).value();
  strategy->observe(landscape.outcomes[strategy->propose()->point]);
  const size_t failing = strategy->propose()->point;
  EXPECT_EQ(failing, 64u);
  strategy->observe({.point = failing, .outcome = Outcome::kBuildFailed});
  EXPECT_EQ(strategy->propose()->point, 65u);
}

TEST(BayesSearch, NothingLeftToGain_IsDoneAtTheBestBeforeHalfOfTheSpace) {
  const Landscape landscape = two_families();
  SearchProblem problem = landscape.problem(1, 63);
  problem.starts = {63, 127};
  const auto strategy = make_strategy("bayes", std::move(problem)).value();
  double found = std::numeric_limits<double>::infinity();
  size_t trials = 0;
  while (!strategy->is_done() && trials < landscape.space.size()) {
    const Observation& outcome = landscape.outcomes[strategy->propose()->point];
    found = std::min(found, outcome.cycles().value_or(found));
    strategy->observe(outcome);
    ++trials;
  }
  EXPECT_LT(trials, landscape.space.size() / 2);
  EXPECT_EQ(found, 1000);
  EXPECT_TRUE(strategy->propose().has_value());  // for callers that go on
}

TEST(BayesSearch, NothingHasRunYet_IsNotDone) {
  Landscape landscape = two_families();
  for (Observation& outcome : landscape.outcomes) {
    outcome.outcome = Outcome::kBuildFailed;
    outcome.samples.clear();
  }
  const auto strategy = make_strategy("bayes", landscape.problem(1)).value();
  for (size_t t = 0; t < 100; ++t) {
    EXPECT_FALSE(strategy->is_done());
    strategy->observe(landscape.outcomes[strategy->propose()->point]);
  }
}

TEST(BayesSearch, SpaceTooLargeToScore_IsSampledToWithin10Percent) {
  const Landscape landscape = landscapes::large_space();
  auto strategy = make_strategy("bayes", landscape.problem(1));
  EXPECT_LE(landscapes::trials_until(**strategy, landscape, 4, {0.1})[0], 300u);
}

TEST(BayesSearch, TaskAfterASimilarOne_StartsFromWhatThatTaught) {
  std::vector<size_t> alone, after;
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    alone.push_back(landscapes::trials_of_second_task("bayes", 0, seed));
    after.push_back(landscapes::trials_of_second_task("bayes", 60, seed));
  }
  std::sort(alone.begin(), alone.end());
  std::sort(after.begin(), after.end());
  EXPECT_LT(after[2], alone[2]);
}

}  // namespace
}  // namespace tinytune
