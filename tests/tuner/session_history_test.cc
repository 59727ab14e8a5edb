// How a run uses records that another run left in its log.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/tuner/session_fixture.h"

namespace tinytune::test {
namespace {

TEST_F(SessionTest, AnotherSeedOnTheSameLog_RepeatsNothing) {
  tune("a", {.trials = 40, .seed = 1});
  tune("a", {.trials = 80, .seed = 2});
  tune("a", {.trials = 100, .seed = 1, .tuner = "grid"});
  auto keys = lines("a");
  EXPECT_EQ(keys.size(), 100u);
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(std::adjacent_find(keys.begin(), keys.end()), keys.end());
}

TEST_F(SessionTest, RecordsWithoutARun_AreHistoryEvenOfThisSeedAndTuner) {
  // As written by version 0.1.
  tune("new", {.trials = 30});
  const auto log = read_log((folder_ / "new").string());
  {
    auto old = LogWriter::open((folder_ / "old").string());
    for (Measurement m : log->measurements) {
      m.run = {};
      ASSERT_TRUE(old->append(m));
    }
  }
  const SessionEnd end = tune("old", {.trials = 50});
  EXPECT_EQ(end.measured, 20u);
  auto keys = lines("old");
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(std::adjacent_find(keys.begin(), keys.end()), keys.end());
}

TEST_F(SessionTest, HistoryPresent_StoppedAnywhereAndContinued_EqualsTheUninterruptedRun) {
  for (const char* tuner : {"random", "xgb", "bayes"}) {
    const std::string whole = std::string("whole-") + tuner;
    tune(whole, {.trials = 20, .seed = 7});
    fs::copy_file(folder_ / whole, folder_ / "history", fs::copy_options::overwrite_existing);
    tune(whole, {.tuner = tuner, .smooth = true});
    for (const uint64_t stop : {1u, 9u, 20u}) {
      const std::string name = std::string(tuner) + std::to_string(stop);
      fs::copy_file(folder_ / "history", folder_ / name);
      EXPECT_TRUE(tune(name, {.tuner = tuner, .stop_after = stop, .smooth = true}).interrupted);
      tune(name, {.tuner = tuner, .order = 3, .smooth = true});
      EXPECT_EQ(lines(name), lines(whole)) << name;
    }
  }
}

TEST_F(SessionTest, AnotherRunInBetween_DoesNotChangeWhatIsProposed) {
  tune("whole", {.tuner = "xgb", .smooth = true});
  tune("mixed", {.trials = 25, .tuner = "xgb", .smooth = true});
  tune("mixed", {.trials = 45, .seed = 9, .smooth = true});
  tune("mixed", {.trials = 60, .tuner = "xgb", .smooth = true});
  const auto whole = lines("whole");
  auto mixed = lines("mixed");
  EXPECT_EQ(mixed.size(), 60u);
  // Points that the other run measured first are missing; the rest follows in the old order.
  std::vector<std::string> of_others(mixed.begin() + 25, mixed.begin() + 45);
  mixed.erase(mixed.begin() + 25, mixed.begin() + 45);
  auto next = whole.begin();
  for (const std::string& line : mixed) {
    while (next != whole.end() && *next != line) {
      EXPECT_NE(std::find(of_others.begin(), of_others.end(), *next), of_others.end()) << *next;
      ++next;
    }
    ASSERT_NE(next, whole.end()) << line;
    ++next;
  }
}

TEST_F(SessionTest, OtherTasksLater_StartFromWhatTheFirstRunLearned) {
  const auto best = [&](const std::string& log, size_t trials) {
    const auto contents = read_log((folder_ / log).string());
    std::map<std::string, uint64_t> fewest;
    for (size_t i = 0; i < std::min(trials, contents->measurements.size()); ++i) {
      const Measurement& m = contents->measurements[i];
      if (const auto cycles = m.median_cycles()) {
        const auto [at, is_first] = fewest.try_emplace(m.workload, *cycles);
        if (!is_first) at->second = std::min(at->second, *cycles);
      }
    }
    uint64_t sum = 0;
    for (const TuningTask& task : tasks_) {
      if (!fewest.contains(task.workload)) return UINT64_MAX;
      sum += fewest[task.workload];
    }
    return sum;
  };
  choose({0, 1});
  tune("alone", {.trials = 120, .tuner = "xgb", .smooth = true});
  const uint64_t target = best("alone", 120);
  size_t alone = 0;
  while (best("alone", alone) > target) ++alone;

  choose({0});
  tune("second", {.trials = 48, .tuner = "xgb", .smooth = true});
  choose({0, 1});
  tune("second", {.trials = 168, .tuner = "xgb", .smooth = true});
  size_t second = 48;
  while (second < 168 && best("second", second) > target) ++second;
  EXPECT_LE(best("second", 168), target);
  EXPECT_LT(second - 48, alone) << "new trials of the second run";
  auto keys = lines("second");
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(std::adjacent_find(keys.begin(), keys.end()), keys.end());
}

}  // namespace
}  // namespace tinytune::test
