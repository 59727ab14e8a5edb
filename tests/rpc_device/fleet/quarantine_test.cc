// When a worker or board gets no more work, and how it is released: the rules, then over the wire.
#include "rpc_device/fleet/quarantine.h"

#include <grpcpp/support/status.h>

#include "rpc_device/fleet/fleet_view.h"
#include "tests/rpc_device/fleet/pool_test.h"
#include "tests/rpc_device/fleet/raw_worker.h"

namespace tinytune {
namespace {

using std::chrono::milliseconds;

TEST(Quarantine, ThreeFaultsInARow_HoldAPlaceUntilNothingIsFound) {
  Quarantine quarantine;
  const Quarantine::Clock::time_point start{};
  EXPECT_FALSE(quarantine.fault("board a", "hung", start));
  EXPECT_FALSE(quarantine.fault("board a", "hung", start));
  EXPECT_FALSE(quarantine.holds("board a"));
  EXPECT_TRUE(quarantine.fault("board a", "reset by itself", start));
  EXPECT_TRUE(quarantine.holds("board a"));
  EXPECT_FALSE(quarantine.holds("board b"));
  EXPECT_TRUE(quarantine.is_due("board a", start));

  EXPECT_FALSE(quarantine.is_unfit("board a"));
  quarantine.examined("board a", "counter: it stands still", start);
  EXPECT_TRUE(quarantine.is_unfit("board a"));
  EXPECT_EQ(to_text(quarantine.cases().at("board a")),
            "3 faults in a row, the last: reset by itself; its examination found: counter: it "
            "stands still");
  const auto later = start + Quarantine::kBetweenExaminations;
  EXPECT_FALSE(quarantine.is_due("board a", later - milliseconds(1)));
  EXPECT_TRUE(quarantine.is_due("board a", later));
  quarantine.examined("board a", "", later);
  EXPECT_FALSE(quarantine.holds("board a"));
  EXPECT_TRUE(quarantine.cases().empty());
}

TEST(Quarantine, ResultInBetween_ForgivesEarlierFaults) {
  Quarantine quarantine;
  const Quarantine::Clock::time_point now{};
  for (int i = 0; i < 10; ++i) {
    EXPECT_FALSE(quarantine.fault("board a", "hung", now));
    EXPECT_FALSE(quarantine.fault("board a", "hung", now));
    quarantine.success("board a");
  }
  for (int i = 0; i < Quarantine::kFaultsInARow; ++i) quarantine.fault("board a", "hung", now);
  quarantine.success("board a");
  EXPECT_TRUE(quarantine.holds("board a")) << "only an examination releases";
}

class QuarantineOfAPool : public PoolTest {
 protected:
  /// A pool with timeouts long enough for these tests' workers, which send few messages.
  std::unique_ptr<WorkerPool> open_patiently() {
    return open(0, {.patience = {.hello = kPatience, .heartbeat = kPatience}});
  }
  /// Connects a worker with a board; expects it to be welcomed.
  std::unique_ptr<RawWorker> board(const WorkerPool& pool, uint64_t instance) {
    auto worker = std::make_unique<RawWorker>(pool.address());
    rpc::Hello hello = hello_of(device_);
    hello.set_instance(instance);
    hello.set_runs_on("board-7");
    worker->say(hello);
    worker->say_alive();
    EXPECT_TRUE(worker->hear()->has_welcome());
    return worker;
  }
  /// Returns the next message other than a task or a piece of one.
  static rpc::ToWorker next(RawWorker& worker) {
    while (auto message = worker.hear())
      if (!message->has_task() && !message->has_piece()) return *message;
    ADD_FAILURE() << "the tuner hung up";
    return {};
  }
  static void fail(RawWorker& worker, const rpc::Job& job) {
    rpc::FromWorker answer;
    answer.mutable_failed()->set_ticket(job.ticket());
    answer.mutable_failed()->set_why("its clock stopped");
    worker.say(answer);
  }
  static void say_finding(RawWorker& worker, const std::string& wrong) {
    rpc::FromWorker answer;
    answer.mutable_examined()->set_wrong(wrong);
    worker.say(answer);
  }
  static WorkerView look(const WorkerPool& pool) {
    const auto window = FleetWindow::open(pool.address(), "").value();
    const FleetView fleet = window->look(20'000).value();
    return fleet.workers.empty() ? WorkerView() : fleet.workers.front();
  }
  void expect_result(WorkerPool& pool, RawWorker& worker, const rpc::Job& job) {
    worker.start(job);
    rpc::FromWorker answer;
    rpc::Finished& finished = *answer.mutable_finished();
    finished.set_ticket(job.ticket());
    finished.set_outcome("ok");
    finished.set_fidelity("board");
    finished.add_cycles(1'000'000);
    worker.say(answer);
    EXPECT_EQ(collect(pool, 1).at(job.ticket()).cycles, std::vector<uint64_t>{1'000'000});
  }
};

TEST_F(QuarantineOfAPool, BoardThatKeepsFailing_IsExaminedAndWorksAgainOnceItIsWell) {
  auto pool = open_patiently();
  ASSERT_NE(pool, nullptr);
  pool->submit(pool->add_task(task_), fault("instant"), {}, Fidelity::kBoard);
  const auto worker = board(*pool, 1);
  for (int i = 0; i < Quarantine::kFaultsInARow; ++i) {
    const rpc::ToWorker message = next(*worker);
    ASSERT_TRUE(message.has_job());
    fail(*worker, message.job());
  }
  ASSERT_TRUE(next(*worker).has_examine());
  EXPECT_TRUE(
      log_says("quarantine: board board-7 gets no more work after 3 faults in a row, the "
               "last: its clock stopped"));
  const WorkerView held = look(*pool);
  EXPECT_TRUE(held.quarantined);
  EXPECT_EQ(held.runs_on, "board-7");
  EXPECT_EQ(held.state, "is examined");

  say_finding(*worker, "");
  const rpc::ToWorker again = next(*worker);
  ASSERT_TRUE(again.has_job());
  EXPECT_TRUE(log_says("quarantine: board board-7 is released"));
  expect_result(*pool, *worker, again.job());
  EXPECT_FALSE(look(*pool).quarantined);
}

TEST_F(QuarantineOfAPool, BoardThatIsUnwell_GetsNoWorkAndEndsARunThatHasNoOther) {
  auto pool = open_patiently();
  ASSERT_NE(pool, nullptr);
  pool->submit(pool->add_task(task_), fault("instant"), {}, Fidelity::kBoard);
  const auto worker = board(*pool, 1);
  for (int i = 0; i < Quarantine::kFaultsInARow; ++i) fail(*worker, next(*worker).job());
  ASSERT_TRUE(next(*worker).has_examine());
  say_finding(*worker, "counter: it stands still");
  ASSERT_TRUE(log_says("quarantine: board board-7 stays: counter: it stands still"));
  const WorkerView held = look(*pool);
  EXPECT_EQ(held.state, "in quarantine");
  EXPECT_NE(held.trouble.find("it stands still"), std::string::npos);
  const auto finished = pool->next_finished(milliseconds(20));
  ASSERT_FALSE(finished);
  EXPECT_NE(finished.error().message().find("it stands still"), std::string::npos);
}

// A board is recognised by its name, whatever process drives it.
TEST_F(QuarantineOfAPool, BoardWhoseWorkersDie_IsHeldWhenTheNextOneDials) {
  auto pool = open_patiently();
  ASSERT_NE(pool, nullptr);
  const auto task = pool->add_task(task_);
  for (int i = 0; i < 4; ++i) pool->submit(task, fault("instant"), {}, Fidelity::kBoard);
  for (int i = 1; i <= Quarantine::kFaultsInARow; ++i) {
    const auto dying = board(*pool, static_cast<uint64_t>(i));
    dying->start(next(*dying).job());
    dying->say(rpc::FromWorker());  // an empty message: it is cut off with its job begun
    EXPECT_FALSE(dying->end().ok());
  }
  EXPECT_EQ(look(*pool).state, "gone");
  const auto worker = board(*pool, 9);
  EXPECT_TRUE(next(*worker).has_examine());
}

TEST_F(QuarantineOfAPool, FindingThatNobodyAskedFor_EndsTheConversation) {
  auto pool = open_patiently();
  ASSERT_NE(pool, nullptr);
  const auto worker = board(*pool, 1);
  say_finding(*worker, "");
  EXPECT_FALSE(worker->end().ok());
}

}  // namespace
}  // namespace tinytune
