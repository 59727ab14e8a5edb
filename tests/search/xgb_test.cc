#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "base/rng.h"
#include "search/strategy.h"
#include "tests/search/landscapes.h"

namespace tinytune {
namespace {

using testing::Landscape;

size_t median_to_5_percent(const Landscape& landscape, const std::string& name, size_t ahead) {
  std::vector<size_t> trials;
  for (uint64_t seed = 1; seed <= 9; ++seed) {
    const size_t start = Rng(seed).below(landscape.space.size());
    auto strategy = make_strategy(name, landscape.problem(seed, start));
    trials.push_back(testing::trials_until(**strategy, landscape, ahead, {0.05})[0]);
  }
  std::sort(trials.begin(), trials.end());
  return trials[trials.size() / 2];
}

void expect_fewer_trials_than_random(const Landscape& landscape) {
  const size_t random = median_to_5_percent(landscape, "random", 1);
  for (size_t ahead : {1, 16})
    EXPECT_LT(median_to_5_percent(landscape, "xgb", ahead), random)
        << landscape.name << ", " << ahead << " ahead";
}

TEST(XgbSearch, SmoothLandscape_NeedsFewerTrialsThanRandom) {
  expect_fewer_trials_than_random(testing::tiled_convolution(0.03, 0));
}

TEST(XgbSearch, NoiseAndFailures_NeedFewerTrialsThanRandom) {
  expect_fewer_trials_than_random(testing::tiled_convolution(0.02, 0.2));
}

TEST(XgbSearch, KnobsNoNestShows_NeedFewerTrialsThanRandom) {
  expect_fewer_trials_than_random(testing::blind_knobs());
}

TEST(XgbSearch, SpaceTooLargeToScore_EvolvesToWithin10Percent) {
  const Landscape landscape = testing::large_space();
  auto strategy = make_strategy("xgb", landscape.problem(1));
  EXPECT_LE(testing::trials_until(**strategy, landscape, 4, {0.1})[0], 300u);
}

TEST(XgbSearch, EarlierLog_IsLearntFrom) {
  const Landscape landscape = testing::tiled_convolution(0.02, 0);
  const auto median = [&](size_t log) {
    std::vector<size_t> trials;
    for (uint64_t seed = 1; seed <= 7; ++seed) {
      auto strategy = make_strategy("xgb", landscape.problem(seed));
      Rng rng(seed);
      std::set<size_t> known;
      while (known.size() < log) {
        const Observation& o = landscape.outcomes[rng.below(landscape.space.size())];
        // Only mediocre points, so that the log itself does not hold the answer.
        if (o.cycles > 1.3 * landscape.optimum && known.insert(o.point).second)
          (*strategy)->observe(o);
      }
      trials.push_back(testing::trials_until(**strategy, landscape, 1, {0.05})[0]);
    }
    std::sort(trials.begin(), trials.end());
    return trials[trials.size() / 2];
  };
  EXPECT_LT(median(300), median(0));
}

TEST(XgbSearch, RegionThatAlwaysFails_IsMostlyLeftAlone) {
  Landscape landscape = testing::tiled_convolution(0.02, 0);
  for (Observation& o : landscape.outcomes)
    if (landscape.space.schedule(o.point).get_int("ku") >= 8)
      o = {o.point, Outcome::kRunTimeout, 0};
  auto strategy = make_strategy("xgb", landscape.problem(2));
  size_t late_failures = 0;
  for (size_t t = 0; t < 160; ++t) {
    const Observation& outcome = landscape.outcomes[*(*strategy)->propose()];
    (*strategy)->observe(outcome);
    if (t >= 64 && outcome.outcome != Outcome::kOk) ++late_failures;
  }
  EXPECT_LT(late_failures, 12u) << "half of the space fails";
}

TEST(XgbSearch, OneBatch_IsSpreadOut) {
  const Landscape landscape = testing::tiled_convolution(0.02, 0);
  auto strategy = make_strategy("xgb", landscape.problem(4));
  for (size_t t = 0; t < 64; ++t) (*strategy)->observe(landscape.outcomes[*(*strategy)->propose()]);
  std::set<std::string> tiles;
  for (size_t t = 0; t < 16; ++t) {
    const Schedule s = landscape.space.schedule(*(*strategy)->propose());
    tiles.insert(s.get("oc") + "x" + s.get("px"));
  }
  EXPECT_GE(tiles.size(), 4u);
}

}  // namespace
}  // namespace tinytune
