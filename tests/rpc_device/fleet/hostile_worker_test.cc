// Malicious workers, over the wire: their messages are refused, and the run goes on.
#include <grpcpp/grpcpp.h>

#include <memory>
#include <vector>

#include "rpc_device/fleet/message_checks.h"
#include "tests/rpc_device/fleet/pool_test.h"
#include "tests/rpc_device/fleet/raw_worker.h"

namespace tinytune {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Clock = std::chrono::steady_clock;

class HostileWorker : public PoolTest {
 protected:
  /// Takes a job and answers it with a result that `spoil` changed; expects to be cut off, and the
  /// job to be done by another worker.
  void expect_cut_off(void (*spoil)(rpc::Finished&)) {
    auto pool = open(0);
    ASSERT_NE(pool, nullptr);
    const auto ticket = pool->submit(pool->add_task(task_), fault("instant"), {});
    RawWorker hostile(pool->address());
    const auto job = hostile.take_job(device_);
    ASSERT_TRUE(job);
    hostile.start(*job);
    rpc::FromWorker answer;
    rpc::Finished& finished = *answer.mutable_finished();
    finished.set_ticket(job->ticket());
    finished.set_outcome("ok");
    finished.set_fidelity("simulate");
    finished.add_cycles(1'000'000);
    spoil(finished);
    hostile.say(answer);
    EXPECT_FALSE(hostile.end().ok());
    TestProcess honest({FAULTY_WORKER, "--connect", pool->address(), "--device", "esp32c3"});
    const MeasureResult result = collect(*pool, 1).at(ticket);
    EXPECT_EQ(result.outcome, Outcome::kOk);
    EXPECT_EQ(result.cycles, std::vector<uint64_t>{1'000'000});
  }
};

TEST_F(HostileWorker, ImpossibleResults_AreRefusedAndTheJobGoesElsewhere) {
  using F = rpc::Finished;
  expect_cut_off([](F& f) { f.clear_cycles(); });
  expect_cut_off([](F& f) { f.set_cycles(0, 0); });
  expect_cut_off([](F& f) { f.set_cycles(0, UINT64_MAX); });
  expect_cut_off([](F& f) { f.mutable_cycles()->Resize(3'000'000, 5); });
  expect_cut_off([](F& f) { f.set_ticket(f.ticket() + 1); });
  expect_cut_off([](F& f) { f.set_outcome("splendid"); });
  expect_cut_off([](F& f) { f.set_detail("\x1b]0;gotcha\x07"); });
  expect_cut_off([](F& f) { f.set_detail(std::string(100 << 20, 'x')); });
  expect_cut_off([](F& f) { f.set_image_bytes(5); });
}

TEST_F(HostileWorker, WordsOutOfTurn_EndTheConversation) {
  auto pool = open(0);
  ASSERT_NE(pool, nullptr);
  rpc::FromWorker started;
  started.mutable_started()->set_ticket(1);
  {
    RawWorker rude(pool->address());
    rude.say(started);
    EXPECT_FALSE(rude.end().ok()) << "no Hello";
  }
  RawWorker eager(pool->address());
  eager.say(hello_of(device_));
  eager.say(started);
  EXPECT_FALSE(eager.end().ok()) << "a job that it was not given";
  EXPECT_EQ(pool->connected_workers(), 0u);
}

TEST_F(HostileWorker, BigFirstWords_AreNotRead) {
  auto pool = open(0);
  ASSERT_NE(pool, nullptr);
  rpc::Hello hello = hello_of(device_);
  hello.set_host(std::string(size_t{3} << 20, 'x'));
  RawWorker big(pool->address());
  big.say(hello);
  EXPECT_EQ(big.end().error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
}

TEST_F(HostileWorker, NoFirstWords_EndTheConnection) {
  auto pool = open(0, {.patience = {.hello = milliseconds(300)}});
  ASSERT_NE(pool, nullptr);
  RawWorker shy(pool->address());
  const grpc::Status ended = shy.end();
  EXPECT_EQ(ended.error_message(), "the worker said nothing");
}

// A hundred send nothing; a hundred introduce themselves, take their jobs and send nothing more.
TEST_F(HostileWorker, TwoHundredSilentOnes_DoNotStallARun) {
  auto pool = open(2, {.patience = {.heartbeat = milliseconds(6000)}});
  ASSERT_NE(pool, nullptr);
  std::vector<std::unique_ptr<RawWorker>> silent;
  for (int i = 0; i < 200; ++i) {
    silent.push_back(std::make_unique<RawWorker>(pool->address()));
    rpc::Hello hello = hello_of(device_);
    hello.set_instance(static_cast<uint64_t>(i) + 1);
    if (i % 2 == 0) continue;
    silent.back()->say(hello);
    silent.back()->say_alive();
  }
  ASSERT_TRUE(within(kPatience, [&] { return pool->connected_workers() >= 100; }));
  const auto task = pool->add_task(task_);
  const auto start = Clock::now();
  constexpr size_t kWindow = 32, kJobs = 320;
  for (size_t done = 0; done < kJobs; done += kWindow) {  // like a run that waits for its oldest
    for (size_t i = 0; i < kWindow; ++i) pool->submit(task, fault("instant"), {});
    collect(*pool, kWindow);
  }
  EXPECT_LT(Clock::now() - start, seconds(45)) << "one wait for heartbeats, and not one a window";
}

TEST_F(HostileWorker, ConnectionsBeyondTheMost_AreToldSo) {
  auto pool = open(0, {.most_connections = 3});
  ASSERT_NE(pool, nullptr);
  std::vector<std::unique_ptr<RawWorker>> room;
  for (int i = 0; i < 3; ++i) {
    room.push_back(std::make_unique<RawWorker>(pool->address()));
    room.back()->say(hello_of(device_));
    EXPECT_TRUE(room.back()->hear());
  }
  TestProcess late({FAULTY_WORKER, "--connect", pool->address(), "--device", "esp32c3"});
  EXPECT_NE(late.read_line().find("hung up: the tuner has 3 workers, its most"), std::string::npos);
  room.pop_back();
  ASSERT_TRUE(within(kPatience, [&] { return pool->connected_workers() == 2; }));
  RawWorker next(pool->address());
  next.say(hello_of(device_));
  EXPECT_TRUE(next.hear()) << "who left made room";
}

}  // namespace
}  // namespace tinytune
