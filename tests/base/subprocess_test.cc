#include "base/subprocess.h"

#include <gtest/gtest.h>

#include <chrono>

namespace tinytune {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(RunProcess, Output_IsSplitByStreamAndExitCodeKept) {
  const auto r = run_process({"sh", "-c", "echo out; echo err >&2; exit 7"}, seconds(10));
  ASSERT_TRUE(r.has_value());
  EXPECT_EQ(r->out, "out\n");
  EXPECT_EQ(r->err, "err\n");
  EXPECT_EQ(r->exit_code, 7);
}

TEST(RunProcess, MuchOutputOnBothStreams_DoesNotBlock) {
  const auto r = run_process(
      {"sh", "-c", "head -c 1000000 /dev/zero; head -c 1000000 /dev/zero >&2"}, seconds(20));
  ASSERT_TRUE(r.has_value());
  EXPECT_EQ(r->out.size(), 1000000u);
  EXPECT_EQ(r->err.size(), 1000000u);
}

TEST(RunProcess, Arguments_ReachTheProgramWithoutAShell) {
  const auto r = run_process({"printf", "%s", "$HOME; `ls` *"}, seconds(10));
  ASSERT_TRUE(r.has_value());
  EXPECT_EQ(r->out, "$HOME; `ls` *");
}

TEST(RunProcess, StandardInput_IsEmpty) {
  const auto r = run_process({"cat"}, seconds(10));
  ASSERT_TRUE(r.has_value());
  EXPECT_EQ(r->out, "");
  EXPECT_EQ(r->exit_code, 0);
}

TEST(RunProcess, KilledBySignal_IsAResult) {
  const auto r = run_process({"sh", "-c", "kill -SEGV $$"}, seconds(10));
  ASSERT_TRUE(r.has_value());
  EXPECT_EQ(r->exit_code, 128 + 11);
}

TEST(RunProcess, UnknownProgram_IsNotFound) {
  const auto r = run_process({"tinytune-has-no-such-program"}, seconds(10));
  ASSERT_FALSE(r.has_value());
  EXPECT_EQ(r.error().code(), ErrorCode::kNotFound);
  EXPECT_NE(r.error().message().find("tinytune-has-no-such-program"), std::string::npos);
}

TEST(RunProcess, Timeout_KillsTheProgramAndSaysSo) {
  const auto begin = std::chrono::steady_clock::now();
  const auto r = run_process({"sleep", "60"}, milliseconds(100));
  ASSERT_FALSE(r.has_value());
  EXPECT_EQ(r.error().code(), ErrorCode::kFailed);
  EXPECT_NE(r.error().message().find("still running after 100 ms"), std::string::npos);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(30));
}

TEST(RunProcess, ClosedStreamsButStillRunning_AlsoTimesOut) {
  const auto begin = std::chrono::steady_clock::now();
  const auto r = run_process({"sh", "-c", "exec >&- 2>&-; sleep 20"}, milliseconds(200));
  ASSERT_FALSE(r.has_value());
  EXPECT_EQ(r.error().code(), ErrorCode::kFailed);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(10));
}

}  // namespace
}  // namespace tinytune
