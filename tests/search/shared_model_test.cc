#include "search/shared_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "base/rng.h"
#include "tests/search/landscapes.h"

namespace tinytune {
namespace {

using landscapes::Landscape;

/// Share of the pairs of points that the scores order like the cycles.
double agreement(SharedModel& model, size_t task, const Landscape& landscape) {
  std::vector<size_t> points;
  Rng rng(99);
  while (points.size() < 200) {
    const size_t point = rng.below(landscape.space.size());
    if (landscape.outcomes[point].cycles()) points.push_back(point);
  }
  const std::vector<float> scores = model.scores(task, points);
  double right = 0, pairs = 0;
  for (size_t i = 0; i < points.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      const double a = *landscape.outcomes[points[i]].cycles();
      const double b = *landscape.outcomes[points[j]].cycles();
      if (a == b) continue;
      ++pairs;
      right += scores[i] == scores[j] ? 0.5 : (a < b) == (scores[i] > scores[j]) ? 1 : 0;
    }
  return right / pairs;
}

void observe_some(SharedModel& model, size_t task, const Landscape& landscape, size_t count) {
  Rng rng(7);
  for (size_t i = 0; i < count; ++i)
    model.observe(task, landscape.outcomes[rng.below(landscape.space.size())]);
}

TEST(SharedModel, NothingObserved_PrefersNothing) {
  const Landscape landscape = landscapes::tiled_convolution(0.02, 0);
  SharedModel model(1);
  const size_t task = model.add_task(landscape.problem(1));
  const std::vector<size_t> points = {3, 1, 2};
  EXPECT_EQ(model.scores(task, points), std::vector<float>(3, 0));
}

TEST(SharedModel, ATaskNeverMeasured_IsOrderedByWhatOthersTaught) {
  const Landscape one = landscapes::tiled_convolution(0.02, 0);
  const Landscape other = landscapes::tiled_convolution(0.02, 0, {.channels = 32, .pixels = 25});
  SharedModel model(1);
  const size_t known = model.add_task(one.problem(1));
  const size_t fresh = model.add_task(other.problem(1));
  observe_some(model, known, one, 150);
  EXPECT_GT(agreement(model, known, one), 0.85);
  EXPECT_GT(agreement(model, fresh, other), 0.75);
}

TEST(SharedModel, CyclesOfDifferentTasks_AreNotCompared) {
  // All cycles of the small task are far below the large one's.
  const Landscape large = landscapes::tiled_convolution(0.02, 0);
  const Landscape small = landscapes::tiled_convolution(0.02, 0, {.channels = 8, .pixels = 4});
  SharedModel model(1);
  const size_t a = model.add_task(large.problem(1)), b = model.add_task(small.problem(1));
  observe_some(model, a, large, 200);
  observe_some(model, b, small, 200);
  EXPECT_GT(agreement(model, a, large), 0.85);
  EXPECT_GT(agreement(model, b, small), 0.85);
}

TEST(SharedModel, RunThatEnds_LeavesNoModelBehind) {
  const Landscape landscape = landscapes::tiled_convolution(0.02, 0);
  std::weak_ptr<SharedModel> left;
  {
    SearchProblem problem = landscape.problem(1);
    problem.model = std::make_shared<SharedModel>(1);
    left = problem.model;
    EXPECT_TRUE(make_strategy("xgb", problem));
  }
  EXPECT_TRUE(left.expired());
}

TEST(SharedModel, SameCalls_SameScores) {
  const Landscape landscape = landscapes::tiled_convolution(0.02, 0.1);
  std::vector<size_t> points(landscape.space.size());
  std::iota(points.begin(), points.end(), size_t{0});
  const auto scores = [&] {
    SharedModel model(5);
    const size_t task = model.add_task(landscape.problem(1));
    observe_some(model, task, landscape, 60);
    return model.scores(task, points);
  };
  EXPECT_EQ(scores(), scores());
}

TEST(SharedModel, SuccessfulBuilds_AreNoRowsAndFailedOnesAre) {
  const Landscape landscape = landscapes::tiled_convolution(0.02, 0);
  SharedModel model(1);
  const size_t task = model.add_task(landscape.problem(1));
  model.observe(task, {.point = 1, .outcome = Outcome::kOk, .fidelity = Fidelity::kBuild});
  EXPECT_EQ(model.observed(), 0u);
  model.observe(task, {.point = 1, .outcome = Outcome::kBuildFailed, .fidelity = Fidelity::kBuild});
  EXPECT_EQ(model.observed(), 1u);
}

TEST(SharedModel, ManyRows_AreCappedAndStillOrdered) {
  const Landscape landscape = landscapes::tiled_convolution(0.02, 0.1);
  SharedModel model(1);
  const size_t task = model.add_task(landscape.problem(1));
  observe_some(model, task, landscape, 5000);
  EXPECT_GT(agreement(model, task, landscape), 0.9);
}

}  // namespace
}  // namespace tinytune
