// Runs that are stopped: by Ctrl-C, and by SIGKILL at random moments.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <regex>
#include <set>
#include <thread>

#include "base/rng.h"
#include "tests/cli/tune_program.h"
#include "tests/tuner/small_model.h"

namespace tinytune::test {
namespace {

using Clock = std::chrono::steady_clock;

class Interruption : public TuneProgram {
 protected:
  /// Returns the largest count of trials that any progress line in `output` shows.
  static uint64_t reported(const std::string& output) {
    static const std::regex kCount("([0-9]+)/[0-9]+ trials");
    uint64_t most = 0;
    for (auto at = std::sregex_iterator(output.begin(), output.end(), kCount);
         at != std::sregex_iterator(); ++at)
      most = std::max<uint64_t>(most, std::stoull((*at)[1]));
    return most;
  }
};

TEST_F(Interruption, ControlC_ExitsWith130SaysHowToGoOnAndTheSameCommandDoes) {
  const auto arguments = with_model({"--trials", "60", "--records", "a"});
  ASSERT_EQ(tune(with_model({"--trials", "60", "--records", "whole", "--quiet"})).exit_code, 0);
  {
    RunningTune run(folder_, arguments, /*terminal=*/true);
    ASSERT_TRUE(run.wait_for("/60 trials"));
    run.press_control_c();
    EXPECT_EQ(run.wait(), 130) << run.output();
    EXPECT_NE(run.output().find("to go on:"), std::string::npos) << run.output();
    EXPECT_NE(run.output().find("--trials 60"), std::string::npos) << run.output();
    EXPECT_GE(trials("a").size(), reported(run.output()));
    EXPECT_LT(trials("a").size(), 60u);
  }
  EXPECT_EQ(tune(arguments).exit_code, 0);
  EXPECT_EQ(trials("a"), trials("whole"));
}

TEST_F(Interruption, ControlCWithJson_StillGivesOneObject) {
  RunningTune run(folder_, with_model({"--trials", "500", "--tuner", "random", "--json"}), false);
  ASSERT_TRUE(run.wait_for("/500 trials"));
  run.send(SIGINT);
  EXPECT_EQ(run.wait(), 130);
  EXPECT_NE(run.output().find("\"error\": \"interrupted"), std::string::npos) << run.output();
}

TEST_F(Interruption, KilledAt20RandomMoments_LosesNothingReportedAndRepeatsNothing) {
  constexpr uint64_t kSeed = 20;
  constexpr int kKills = 20;
  const std::string total = "4000";  // more than a run ever reaches
  Rng rng(kSeed);
  size_t kept = 0;
  int counted = 0;
  for (int kill = 0; kill < kKills; ++kill) {
    RunningTune run(folder_, with_model({"--trials", total, "--tuner", "random", "--records", "a"}),
                    /*terminal=*/true);
    const auto moment = std::chrono::milliseconds(100 + rng.below(1900));
    // Every other kill counts from the run's first report, which comes late on a busy machine.
    const auto patience = Clock::now() + std::chrono::minutes(1);
    while (kill % 2 == 1 && reported(run.output()) == 0 && Clock::now() < patience)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const auto until = Clock::now() + moment;
    while (Clock::now() < until) {
      run.output();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    run.send(SIGKILL);
    EXPECT_EQ(run.wait(), 128 + SIGKILL) << run.output();
    const uint64_t shown = reported(run.output());
    counted += shown > 0 ? 1 : 0;
    const auto log = std::filesystem::exists(path("a")) ? trials("a") : std::vector<std::string>();
    SCOPED_TRACE("seed " + std::to_string(kSeed) + ", kill " + std::to_string(kill) + " after " +
                 std::to_string(moment.count()) + " ms");
    EXPECT_GE(log.size(), shown);
    EXPECT_GE(log.size(), kept) << "a measurement of an earlier run is gone";
    std::set<std::string> schedules;
    for (const std::string& line : log)
      EXPECT_TRUE(schedules.insert(line.substr(0, line.rfind(" | "))).second) << "twice: " << line;
    kept = log.size();
  }
  EXPECT_GT(kept, 0u);
  EXPECT_GT(counted, 0) << "no run lived long enough to report anything";

  // Twenty kills must leave the same log as none.
  const std::string reached = std::to_string(kept);
  ASSERT_EQ(
      tune(with_model({"--trials", reached, "--tuner", "random", "--records", "whole", "--quiet"}))
          .exit_code,
      0);
  EXPECT_EQ(trials("a"), trials("whole"));
}

}  // namespace
}  // namespace tinytune::test
