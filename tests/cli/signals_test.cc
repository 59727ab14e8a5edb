// Signals that ask the program to end, and what it must not leave behind.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <thread>

#include "tests/cli/tune_program.h"
#include "tests/tuner/small_model.h"

namespace tinytune::test {
namespace {

using std::chrono::milliseconds;

class Signals : public TuneProgram {
 protected:
  /// Names of tinytune's temporary directories in the folder, which is the program's TMPDIR.
  std::vector<std::string> directories() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_))
      if (entry.path().filename().string().starts_with("tinytune."))
        names.push_back(entry.path().filename().string());
    return names;
  }

  bool wait_for_directory(const std::string& beginning) const {
    for (int i = 0; i < 200'000; ++i) {
      for (const std::string& name : directories())
        if (name.starts_with(beginning)) return true;
      std::this_thread::sleep_for(milliseconds(1));
    }
    return false;
  }

  RunningTune long_run() const {
    return RunningTune(
        folder_, with_model({"--trials", "4000", "--tuner", "random", "--records", "a"}), false);
  }

  void expect_orderly_end(RunningTune& run) {
    EXPECT_EQ(run.wait(), 130) << run.output();
    EXPECT_NE(run.output().find("to go on:"), std::string::npos) << run.output();
    EXPECT_EQ(run.output().find("starting another"), std::string::npos) << run.output();
    EXPECT_TRUE(directories().empty()) << directories().front();
    const auto log = read_log(path("a"));
    ASSERT_TRUE(log);
    EXPECT_EQ(log->skipped_lines, 0u);
    EXPECT_FALSE(log->measurements.empty());
  }
};

TEST_F(Signals, Hangup_IsAnInterruption) {
  RunningTune run = long_run();
  ASSERT_TRUE(run.wait_for("/4000 trials"));
  run.send(SIGHUP);
  expect_orderly_end(run);
}

TEST_F(Signals, TwoAtOnce_EndTheRunInOrder) {
  for (const int signal : {SIGTERM, SIGINT}) {
    RunningTune run = long_run();
    ASSERT_TRUE(run.wait_for("/4000 trials"));
    run.send(signal);
    run.send(signal);
    run.send(SIGCONT);  // as `timeout` does
    expect_orderly_end(run);
  }
}

TEST_F(Signals, Third_EndsTheRunAtOnceAndInOrder) {
  RunningTune run = long_run();
  ASSERT_TRUE(run.wait_for("/4000 trials"));
  for (int i = 0; i < 3; ++i) {
    run.send(SIGINT);
    std::this_thread::sleep_for(milliseconds(20));
  }
  expect_orderly_end(run);
}

TEST_F(Signals, CommandThatBuilds_LeavesNothingBehind) {
  write_model(slow_to_build_graph(), path("slow.tflite"));
  RunningTune run(folder_, {"run", "--json", "--model", "slow.tflite", "--device", "esp32c3"},
                  false);
  ASSERT_TRUE(wait_for_directory("tinytune.build.")) << run.output();
  run.send(SIGTERM);
  EXPECT_EQ(run.wait(), 130) << run.output();
  EXPECT_NE(run.output().find("tune: interrupted"), std::string::npos) << run.output();
  EXPECT_NE(run.output().find("\"error\": \"interrupted\""), std::string::npos) << run.output();
  EXPECT_TRUE(directories().empty()) << directories().front();
}

TEST_F(Signals, HangupUnderNohup_ChangesNothing) {
  const auto run = run_process(
      {"env", "-C", folder_.string(), "--ignore-signal=HUP", "TMPDIR=" + folder_.string(), "sh",
       "-c",
       TINYTUNE_BINARY_DIR "/tune --model small.tflite --device esp32c3 --trials 20 --records a & "
                           "while [ ! -s a ]; do sleep 0.05; done; kill -HUP $!; wait $!"},
      std::chrono::seconds(100));
  ASSERT_TRUE(run);
  EXPECT_EQ(run->exit_code, 0) << run->err;
  EXPECT_EQ(trials("a").size(), 20u);
}

TEST_F(Signals, DirectoriesOfAKilledRun_AreSweptByTheNext) {
  {
    RunningTune run = long_run();
    ASSERT_TRUE(run.wait_for("/4000 trials"));
    run.send(SIGKILL);
    EXPECT_EQ(run.wait(), 128 + SIGKILL);
  }
  ASSERT_FALSE(directories().empty()) << "nothing to sweep";
  // Its workers end soon after it and release their directories.
  for (int i = 0; i < 50 && !directories().empty(); ++i) {
    ASSERT_EQ(tune(with_model({"run"})).exit_code, 0);
    std::this_thread::sleep_for(milliseconds(20));
  }
  EXPECT_TRUE(directories().empty()) << directories().front();
}

TEST_F(Signals, TemporaryFolderThatTakesNothing_IsNamedInOneLine) {
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"run"}, std::vector<std::string>{"--quiet", "--trials", "3"}}) {
    std::vector<std::string> words = {"env", "-C", folder_.string(), "TMPDIR=/no/such/folder",
                                      TINYTUNE_BINARY_DIR "/tune"};
    words.insert(words.end(), command.begin(), command.end());
    const auto run = run_process(with_model(words), std::chrono::seconds(60));
    ASSERT_TRUE(run);
    EXPECT_EQ(run->exit_code, 1);
    EXPECT_NE(run->err.find("/no/such/folder"), std::string::npos) << run->err;
    EXPECT_EQ(std::count(run->err.begin(), run->err.end(), '\n'), 1) << run->err;
  }
}

// Like the move of a virtual machine. The program's own clocks are then useless; the kernel's work.
TEST_F(Signals, WhileTheClockRunsBackwards_EndTheRunInOrder) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "nothing may be loaded before this sanitizer";
#endif
  ::setenv("LD_PRELOAD", BACKWARD_CLOCK, 1);
  RunningTune run = long_run();
  ::unsetenv("LD_PRELOAD");
  ASSERT_TRUE(run.wait_for("/4000 trials")) << run.output();
  run.send(SIGTERM);
  expect_orderly_end(run);
}

}  // namespace
}  // namespace tinytune::test
