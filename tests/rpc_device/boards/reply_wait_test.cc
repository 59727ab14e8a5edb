#include "rpc_device/boards/serial/reply_wait.h"

#include <gtest/gtest.h>

namespace tinytune::serial {
namespace {

using std::chrono::milliseconds;

TEST(ReplyWait, NothingMeasured_IsTheFirst) {
  EXPECT_EQ(ReplyWait(milliseconds(250)).now(), milliseconds(250));
  EXPECT_EQ(ReplyWait(milliseconds(1)).now(), ReplyWait::kLeast);
}

TEST(ReplyWait, SteadyLine_IsSoonWaitedForNoLongerThanItTakes) {
  ReplyWait wait(milliseconds(250));
  for (int i = 0; i < 30; ++i) wait.answered(milliseconds(40));
  EXPECT_GT(wait.now(), milliseconds(40));
  EXPECT_LT(wait.now(), milliseconds(45));
}

TEST(ReplyWait, UnsteadyLine_IsWaitedForBeyondItsSlowestReply) {
  ReplyWait wait(milliseconds(250));
  for (int i = 0; i < 100; ++i) wait.answered(milliseconds(i % 2 == 0 ? 10 : 50));
  EXPECT_GT(wait.now(), milliseconds(50));
}

TEST(ReplyWait, NoReply_WaitsLongerUntilOneComes) {
  ReplyWait wait(milliseconds(100));
  wait.answered(milliseconds(20));
  const auto before = wait.now();
  wait.not_answered();
  EXPECT_EQ(wait.now(), before * 1.5);
  wait.not_answered();
  EXPECT_EQ(wait.now(), before * 2.25);
  wait.answered(milliseconds(20));
  EXPECT_LE(wait.now(), before);
}

TEST(ReplyWait, SilentBoard_IsAskedAtLeastEveryFiveSeconds) {
  ReplyWait wait(milliseconds(100));
  for (int i = 0; i < 1'000; ++i) wait.not_answered();
  EXPECT_EQ(wait.now(), ReplyWait::kMost);
}

}  // namespace
}  // namespace tinytune::serial
