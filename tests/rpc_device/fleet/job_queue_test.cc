#include "rpc_device/fleet/job_queue.h"

#include <gtest/gtest.h>

#include <thread>

namespace tinytune {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
constexpr milliseconds kNow{0};
const JobQueue::Clock::time_point kStart{};

WorkerSkills whole(uint64_t instance) { return {instance, true, "simulator"}; }
WorkerSkills builder(uint64_t instance) { return {instance, true, ""}; }
WorkerSkills runner(uint64_t instance) { return {instance, false, "simulator"}; }
WorkerSkills board(uint64_t instance) { return {instance, false, "0123-4567"}; }

MeasureResult ok() {
  MeasureResult result;
  result.outcome = Outcome::kOk;
  return result;
}

uint64_t submit(JobQueue& queue, const char* schedule, Fidelity stage = Fidelity::kSimulate) {
  return queue.submit(0, schedule, {}, stage);
}

TEST(JobQueue, Jobs_GoOutInOrderAndComeBackInAny) {
  JobQueue queue;
  const uint64_t a = submit(queue, "a"), b = queue.submit(1, "b", {}, Fidelity::kSimulate);
  EXPECT_EQ(queue.take(whole(1))->schedule, "a");
  EXPECT_EQ(queue.take(whole(2))->task, 1u);
  EXPECT_FALSE(queue.take(whole(3)));
  queue.finish(b, ok());
  queue.finish(a, ok());
  EXPECT_EQ(queue.next_finished(kNow)->ticket, b);
  EXPECT_EQ(queue.next_finished(kNow)->ticket, a);
  EXPECT_FALSE(queue.next_finished(kNow));
}

TEST(JobQueue, JobsOfOneKin_GoToTheProcessThatHadTheFirst) {
  JobQueue queue;
  const auto submit_kin = [&](const char* schedule, const char* kin) {
    queue.submit(0, schedule, {}, Fidelity::kSimulate, kin);
  };
  submit_kin("a1", "a");
  submit_kin("a2", "a");
  submit_kin("a3", "a");
  submit_kin("b1", "b");
  EXPECT_EQ(queue.take(whole(1))->schedule, "a1");
  EXPECT_EQ(queue.take(whole(2))->schedule, "b1");
  EXPECT_EQ(queue.take(whole(1))->schedule, "a2");
  EXPECT_EQ(queue.take(whole(2))->schedule, "a3") << "nothing else is left for it";
}

TEST(JobQueue, KinOfAProcessThatDied_IsAnybodys) {
  JobQueue queue;
  queue.submit(0, "a1", {}, Fidelity::kSimulate, "a");
  const auto lost = queue.take(whole(1));
  queue.submit(0, "a2", {}, Fidelity::kSimulate, "a");
  queue.submit(0, "b1", {}, Fidelity::kSimulate, "b");
  queue.blame(lost->ticket, 1, "it");
  EXPECT_EQ(queue.take(whole(2))->schedule, "a1");
  EXPECT_EQ(queue.take(whole(2))->schedule, "a2");
}

TEST(JobQueue, WorkerThatDoesBoth_IsAskedForBothAtOnce) {
  JobQueue queue;
  submit(queue, "a");
  EXPECT_EQ(queue.take(whole(1))->step, JobStep::kMeasure);
}

TEST(JobQueue, BuilderAndRunner_TakeOneJobAfterTheOther) {
  JobQueue queue;
  const uint64_t ticket = submit(queue, "a");
  EXPECT_FALSE(queue.take(runner(1))) << "nothing is built yet";
  EXPECT_EQ(queue.take(builder(2))->step, JobStep::kMakeImage);
  MeasureResult built = ok();
  built.code = {11, 22};
  built.image = "abc";
  built.times.llvm_ms = 5;
  queue.hand_on(ticket, built, "image");
  EXPECT_FALSE(queue.take(builder(2))) << "it runs nothing";
  const auto lease = queue.take(runner(1));
  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->step, JobStep::kRunImage);
  EXPECT_EQ(*lease->image, "image");
  queue.finish(ticket, ok());
  const MeasureResult result = queue.next_finished(kNow)->result;
  EXPECT_EQ(result.code, (CodeFacts{11, 22}));
  EXPECT_EQ(result.image, "abc");
  EXPECT_EQ(result.times.llvm_ms, 5);
}

TEST(JobQueue, BoardsAndSimulators_DoNotTakeEachOthersRuns) {
  JobQueue queue;
  const uint64_t ticket = submit(queue, "a", Fidelity::kBoard);
  EXPECT_EQ(queue.take(whole(1))->step, JobStep::kMakeImage) << "a simulator can build for a board";
  queue.hand_on(ticket, ok(), "image");
  EXPECT_FALSE(queue.take(whole(1)));
  EXPECT_EQ(queue.take(board(2))->step, JobStep::kRunImage);
}

TEST(JobQueue, BuildAlone_NeedsNoBoard) {
  JobQueue queue;
  submit(queue, "a", Fidelity::kBuild);
  EXPECT_FALSE(queue.take(board(1)));
  EXPECT_EQ(queue.take(builder(2))->step, JobStep::kBuild);
}

TEST(JobQueue, JobThatComesBack_GoesOutFirst) {
  JobQueue queue;
  submit(queue, "a");
  submit(queue, "b");
  queue.blame(queue.take(whole(1))->ticket, 1, "w1", kStart);
  EXPECT_EQ(queue.take(whole(2))->schedule, "a");
  EXPECT_EQ(queue.counts().redone, 1u);
}

TEST(JobQueue, TwoProcessesThatDied_MakeItLost) {
  JobQueue queue;
  const uint64_t ticket = submit(queue, "a");
  queue.blame(queue.take(whole(1))->ticket, 1, "w1", kStart);
  EXPECT_FALSE(queue.next_finished(kNow));
  queue.blame(queue.take(whole(2))->ticket, 2, "w2", kStart);
  const auto finished = queue.next_finished(kNow);
  ASSERT_TRUE(finished);
  EXPECT_EQ(finished->ticket, ticket);
  EXPECT_EQ(finished->result.outcome, Outcome::kLost);
  EXPECT_EQ(finished->result.detail, "2 workers died with it, the last: w2");
  EXPECT_FALSE(queue.take(whole(3)));
}

TEST(JobQueue, OneProcessThatIsLostTwice_IsOneWitness) {
  JobQueue queue;
  submit(queue, "a");
  for (int i = 0; i < 2; ++i)
    queue.blame(queue.take(whole(1), kStart + i * seconds(60))->ticket, 1, "w1",
                kStart + i * seconds(60));
  EXPECT_FALSE(queue.next_finished(kNow)) << "one worker's network is not two witnesses";
  EXPECT_TRUE(queue.take(whole(2), kStart));
}

TEST(JobQueue, OneProcessThatIsAllThereIs_EndsTheJobInTheEnd) {
  JobQueue queue;
  submit(queue, "a");
  auto now = kStart;
  int deaths = 0;
  for (; !queue.next_finished(kNow) && deaths < 100; ++deaths) {
    now += seconds(60);
    const auto lease = queue.take(whole(1), now);
    ASSERT_TRUE(lease);
    queue.blame(lease->ticket, 1, "w1", now);
  }
  EXPECT_EQ(deaths, JobQueue::kDeathsUntilLost);
}

TEST(JobQueue, ProcessThatWasLostWithAJob_LeavesItToOthersForAWhile) {
  JobQueue queue;
  submit(queue, "a");
  queue.blame(queue.take(whole(1), kStart)->ticket, 1, "w1", kStart);
  EXPECT_FALSE(queue.take(whole(1), kStart + milliseconds(1)));
  EXPECT_TRUE(queue.take(whole(1), kStart + JobQueue::kChanceForOthers));
}

TEST(JobQueue, WhatWentWrongAroundAJob_IsNotItsFault) {
  JobQueue queue;
  submit(queue, "a");
  for (int i = 0; i < 5; ++i) queue.give_back(queue.take(whole(1))->ticket);
  for (int i = 0; i < 5; ++i) queue.give_back_failed(queue.take(whole(1))->ticket, "disk full");
  EXPECT_TRUE(queue.take(whole(1)));
  EXPECT_FALSE(queue.next_finished(kNow));
  EXPECT_EQ(queue.counts().redone, 0u);
}

TEST(JobQueue, FailuresInARow_AreTrouble) {
  JobQueue queue;
  const uint64_t a = submit(queue, "a");
  for (int i = 0; i < 3; ++i) queue.give_back_failed(queue.take(whole(1))->ticket, "disk full");
  EXPECT_FALSE(queue.failing(4));
  EXPECT_EQ(queue.failing(3), "disk full");
  queue.take(whole(1));
  queue.finish(a, ok());
  EXPECT_FALSE(queue.failing(1)) << "a result shows that somebody can";
}

TEST(JobQueue, Close_WakesThoseWhoWait) {
  JobQueue queue;
  std::thread reader([&] { EXPECT_FALSE(queue.next_finished(std::chrono::hours(1))); });
  queue.close();
  reader.join();
  submit(queue, "a");
  EXPECT_FALSE(queue.take(whole(1)));
}

}  // namespace
}  // namespace tinytune
