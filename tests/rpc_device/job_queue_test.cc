#include "rpc_device/job_queue.h"

#include <gtest/gtest.h>

#include <thread>

namespace tinytune {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds kNow{0};

MeasureResult ok() {
  MeasureResult result;
  result.outcome = Outcome::kOk;
  return result;
}

TEST(JobQueue, Jobs_GoOutInOrderAndComeBackInAny) {
  JobQueue queue;
  const uint64_t a = queue.submit(0, "a", {}), b = queue.submit(1, "b", {});
  EXPECT_EQ(queue.take(kNow)->schedule, "a");
  EXPECT_EQ(queue.take(kNow)->task, 1u);
  EXPECT_FALSE(queue.take(kNow));
  queue.finish(b, ok());
  queue.finish(a, ok());
  EXPECT_EQ(queue.next_finished(kNow)->ticket, b);
  EXPECT_EQ(queue.next_finished(kNow)->ticket, a);
  EXPECT_FALSE(queue.next_finished(kNow));
}

TEST(JobQueue, AbandonedJob_GoesOutFirst) {
  JobQueue queue;
  queue.submit(0, "a", {});
  queue.submit(0, "b", {});
  queue.abandon(queue.take(kNow)->ticket, true, "w1");
  EXPECT_EQ(queue.take(kNow)->schedule, "a");
  EXPECT_EQ(queue.redone(), 1u);
}

TEST(JobQueue, TwoDeaths_AreLost) {
  JobQueue queue;
  const uint64_t ticket = queue.submit(0, "a", {});
  queue.abandon(queue.take(kNow)->ticket, true, "w1");
  EXPECT_FALSE(queue.next_finished(kNow));
  queue.abandon(queue.take(kNow)->ticket, true, "w2");
  const auto finished = queue.next_finished(kNow);
  ASSERT_TRUE(finished);
  EXPECT_EQ(finished->ticket, ticket);
  EXPECT_EQ(finished->result.outcome, Outcome::kLost);
  EXPECT_NE(finished->result.detail.find("w2"), std::string::npos);
  EXPECT_FALSE(queue.take(kNow));
}

TEST(JobQueue, DeathBeforeTheJobBegan_IsNotItsFault) {
  JobQueue queue;
  queue.submit(0, "a", {});
  for (int i = 0; i < 5; ++i) queue.abandon(queue.take(kNow)->ticket, false, "w");
  EXPECT_TRUE(queue.take(kNow));
  EXPECT_EQ(queue.redone(), 0u);
}

TEST(JobQueue, Close_WakesThoseWhoWait) {
  JobQueue queue;
  std::thread taker([&] { EXPECT_FALSE(queue.take(std::chrono::hours(1))); });
  std::thread reader([&] { EXPECT_FALSE(queue.next_finished(std::chrono::hours(1))); });
  queue.close();
  taker.join();
  reader.join();
  queue.submit(0, "a", {});
  EXPECT_FALSE(queue.take(kNow));
}

}  // namespace
}  // namespace tinytune
