#include "rpc_device/worker_pool.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <sstream>

#include "rpc_device/protocol.h"
#include "rpc_device/tuner.grpc.pb.h"
#include "tests/measure/small_task.h"
#include "tests/rpc_device/processes.h"

namespace tinytune {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kPatience = seconds(30);

class WorkerPoolTest : public testing::Test {
 protected:
  WorkerPoolTest() : device_(load_device("esp32c3").value()), task_(small_conv_task()) {}

  std::unique_ptr<WorkerPool> open(int workers, WorkerPoolOptions options = {}) {
    options.local_workers = workers;
    options.worker_command = {FAULTY_WORKER};
    auto pool = WorkerPool::open(device_, options, [this](LogLevel, const std::string& line) {
      const std::lock_guard lock(mutex_);
      log_ += line + "\n";
    });
    EXPECT_TRUE(pool) << pool.error().message();
    return pool ? std::move(pool).value() : nullptr;
  }
  Schedule default_schedule() { return default_schedule_of(task_.workload, device_).value(); }
  static Schedule fault(const std::string& what) { return Schedule(what, 1, {}); }

  // Waits for `count` results.
  std::map<uint64_t, MeasureResult> collect(WorkerPool& pool, size_t count) {
    std::map<uint64_t, MeasureResult> results;
    within(kPatience, [&] {
      auto finished = pool.next_finished(milliseconds(100));
      EXPECT_TRUE(finished) << finished.error().message();
      if (!finished) return true;
      if (finished->has_value()) {
        EXPECT_TRUE(results.emplace((*finished)->ticket, (*finished)->result).second);
      }
      return results.size() == count;
    });
    EXPECT_EQ(results.size(), count) << log();
    return results;
  }
  std::string log() {
    const std::lock_guard lock(mutex_);
    return log_;
  }
  static int64_t process_of(const WorkerStatistics& worker) {
    return std::stoll(worker.name.substr(worker.name.rfind(':') + 1));
  }

  Device device_;
  TaskData task_;
  std::mutex mutex_;
  std::string log_;
};

TEST_F(WorkerPoolTest, AnyNumberOfWorkers_GivesTheSameResults) {
  const ConfigSpace space = space_of(task_.workload, device_);
  std::map<uint64_t, MeasureResult> by_workers[2];
  for (const int workers : {1, 2}) {
    auto pool = open(workers);
    ASSERT_NE(pool, nullptr);
    const auto task = pool->add_task(task_);
    Rng rng(5);
    for (int i = 0; i < 8; ++i) pool->submit(task, space.schedule(rng.below(space.size())), {});
    by_workers[workers - 1] = collect(*pool, 8);
    const PoolStatistics statistics = pool->statistics();
    uint64_t jobs = 0;
    for (const WorkerStatistics& worker : statistics.workers) jobs += worker.jobs;
    EXPECT_EQ(jobs, 8u);
    EXPECT_GT(statistics.total().llvm_ms, 0);
  }
  for (const auto& [ticket, one] : by_workers[0]) {
    const MeasureResult& two = by_workers[1].at(ticket);
    EXPECT_EQ(name_of(one.outcome), "ok") << one.detail;
    EXPECT_EQ(one.cycles, two.cycles);
    EXPECT_EQ(one.instructions, two.instructions);
    EXPECT_EQ(one.code_bytes, two.code_bytes);
    EXPECT_EQ(one.ram_bytes, two.ram_bytes);
  }
}

TEST_F(WorkerPoolTest, SeveralTasks_AreToldApart) {
  auto pool = open(2);
  ASSERT_NE(pool, nullptr);
  TaskData wrong = task_;
  wrong.cases[0].expected[0] ^= 1;
  const auto right_task = pool->add_task(task_), wrong_task = pool->add_task(wrong);
  std::vector<uint64_t> right, bad;
  for (int i = 0; i < 3; ++i) {
    right.push_back(pool->submit(right_task, default_schedule(), {}));
    bad.push_back(pool->submit(wrong_task, default_schedule(), {}));
  }
  const auto results = collect(*pool, 6);
  for (uint64_t t : right) EXPECT_EQ(results.at(t).outcome, Outcome::kOk);
  for (uint64_t t : bad) EXPECT_EQ(results.at(t).outcome, Outcome::kWrongOutput);
}

TEST_F(WorkerPoolTest, WorkerKilledDuringAJob_IsReplacedAndTheJobRedone) {
  auto pool = open(2);
  ASSERT_NE(pool, nullptr);
  const auto task = pool->add_task(task_);
  for (int i = 0; i < 4; ++i) pool->submit(task, fault("slow"), {});
  ASSERT_TRUE(within(kPatience, [&] { return pool->connected_workers() == 2; }));
  std::this_thread::sleep_for(milliseconds(200));
  kill(static_cast<pid_t>(process_of(pool->statistics().workers[0])), SIGKILL);
  for (const auto& [ticket, result] : collect(*pool, 4))
    EXPECT_EQ(result.outcome, Outcome::kOk) << result.detail;
  EXPECT_EQ(pool->statistics().redone, 1u);
  EXPECT_NE(log().find("starting another"), std::string::npos) << log();
}

TEST_F(WorkerPoolTest, JobThatKillsTwoWorkers_IsLostAndTheOthersAreNot) {
  auto pool = open(2);
  ASSERT_NE(pool, nullptr);
  const auto task = pool->add_task(task_);
  const auto before = pool->submit(task, default_schedule(), {});
  const auto killer = pool->submit(task, fault("abort"), {});
  const auto after = pool->submit(task, default_schedule(), {});
  const auto results = collect(*pool, 3);
  EXPECT_EQ(results.at(before).outcome, Outcome::kOk);
  EXPECT_EQ(results.at(after).outcome, Outcome::kOk);
  EXPECT_EQ(results.at(killer).outcome, Outcome::kLost);
  EXPECT_NE(results.at(killer).detail.find("2 workers died"), std::string::npos);
}

TEST_F(WorkerPoolTest, SilentWorker_LosesItsLeaseAndItsLife) {
  auto pool = open(1, {.lease_ms = 400});
  ASSERT_NE(pool, nullptr);
  const auto task = pool->add_task(task_);
  const auto hanging = pool->submit(task, fault("hang"), {});
  const auto after = pool->submit(task, default_schedule(), {});
  const auto results = collect(*pool, 2);
  EXPECT_EQ(results.at(hanging).outcome, Outcome::kLost);
  EXPECT_EQ(results.at(after).outcome, Outcome::kOk);
  for (const WorkerStatistics& worker : pool->statistics().workers) {
    if (worker.jobs == 0) {
      EXPECT_TRUE(within(seconds(5), [&] { return is_gone(process_of(worker)); }));
    }
  }
}

TEST_F(WorkerPoolTest, WorkersThatCannotLive_AreGivenUpWithTheReason) {
  WorkerPoolOptions options;
  options.local_workers = 2;
  options.restarts_per_worker = 2;
  options.worker_command = {"/bin/false"};
  auto pool = WorkerPool::open(device_, options).value();
  pool->submit(pool->add_task(task_), default_schedule(), {});
  std::string reason;
  EXPECT_TRUE(within(kPatience, [&] {
    const auto finished = pool->next_finished(milliseconds(20));
    if (!finished) reason = finished.error().message();
    return !finished;
  }));
  EXPECT_NE(reason.find("exit code 1"), std::string::npos) << reason;
}

TEST_F(WorkerPoolTest, Close_LeavesNoProcess) {
  std::vector<int64_t> processes;
  for (const char* what : {"slow", "hang"}) {
    auto pool = open(2);
    ASSERT_NE(pool, nullptr);
    const auto task = pool->add_task(task_);
    for (int i = 0; i < 3; ++i) pool->submit(task, fault(what), {});
    ASSERT_TRUE(within(kPatience, [&] { return pool->connected_workers() == 2; }));
    for (const WorkerStatistics& worker : pool->statistics().workers) {
      processes.push_back(process_of(worker));
      for (const pid_t child : children_of(processes.back())) processes.push_back(child);
    }
    const auto start = std::chrono::steady_clock::now();
    pool.reset();
    EXPECT_LT(std::chrono::steady_clock::now() - start, seconds(3));
  }
  EXPECT_EQ(processes.size(), 8u);  // workers and their build servers
  for (const int64_t process : processes)
    EXPECT_TRUE(within(seconds(3), [&] { return is_gone(process); })) << process;
}

TEST_F(WorkerPoolTest, RemoteWorkersOverTcp_DoTheWork) {
  auto pool = open(0, {.listen = "127.0.0.1:0"});
  ASSERT_NE(pool, nullptr);
  EXPECT_NE(pool->address(), "127.0.0.1:0");
  const auto task = pool->add_task(task_);
  const auto ticket = pool->submit(task, default_schedule(), {});
  const auto nothing = pool->next_finished(milliseconds(20));
  ASSERT_TRUE(nothing);
  EXPECT_FALSE(nothing->has_value());
  TestProcess worker({FAULTY_WORKER, "--connect", pool->address(), "--device", "esp32c3"});
  EXPECT_EQ(collect(*pool, 1).at(ticket).outcome, Outcome::kOk);
  pool.reset();
  EXPECT_EQ(worker.exit_code(seconds(5)), 0);
}

TEST_F(WorkerPoolTest, WorkerForAnotherDevice_IsRefusedInOneLine) {
  auto pool = open(0);
  ASSERT_NE(pool, nullptr);
  TestProcess worker({FAULTY_WORKER, "--connect", pool->address(), "--device", "rv32imc"});
  EXPECT_EQ(worker.read_line(), "refused: the worker measures on rv32imc, the tuner wants esp32c3");
  EXPECT_EQ(worker.read_line(), "");
  EXPECT_EQ(worker.exit_code(seconds(5)), 2);
  EXPECT_EQ(pool->connected_workers(), 0u);
}

// What the tuner answers to a Hello.
rpc::ToWorker answer_to(const WorkerPool& pool, const rpc::Hello& hello) {
  const auto channel = grpc::CreateChannel(pool.address(), grpc::InsecureChannelCredentials());
  const auto stub = rpc::Tuner::NewStub(channel);
  grpc::ClientContext context;
  const auto stream = stub->Work(&context);
  rpc::FromWorker message;
  *message.mutable_hello() = hello;
  stream->Write(message);
  rpc::ToWorker answer;
  stream->Read(&answer);
  context.TryCancel();
  for (rpc::ToWorker rest; stream->Read(&rest);) {
  }
  (void)stream->Finish();
  return answer;
}

TEST_F(WorkerPoolTest, OtherProtocolOrDeviceFile_IsRefused) {
  auto pool = open(0);
  ASSERT_NE(pool, nullptr);
  rpc::Hello hello;
  hello.set_protocol(kProtocolVersion);
  hello.set_device("esp32c3");
  hello.set_device_hash(device_.hash);
  EXPECT_TRUE(answer_to(*pool, hello).has_welcome());
  hello.set_device_hash(device_.hash ^ 1);
  EXPECT_NE(answer_to(*pool, hello).refusal().reason().find("differs"), std::string::npos);
  hello.set_device_hash(device_.hash);
  hello.set_protocol(kProtocolVersion + 1);
  const std::string reason = answer_to(*pool, hello).refusal().reason();
  EXPECT_NE(reason.find("protocol"), std::string::npos);
  EXPECT_EQ(reason.find('\n'), std::string::npos);
}

TEST_F(WorkerPoolTest, AddressInUse_IsAnError) {
  auto first = open(0);
  ASSERT_NE(first, nullptr);
  auto tcp = open(0, {.listen = "127.0.0.1:0"});
  ASSERT_NE(tcp, nullptr);
  for (const std::string& address : {first->address(), tcp->address()}) {
    const auto second = WorkerPool::open(device_, {.listen = address});
    ASSERT_FALSE(second) << address;
    EXPECT_EQ(second.error().code(), ErrorCode::kFailed);
  }
}

TEST_F(WorkerPoolTest, MissingWorkerProgram_IsAnError) {
  const auto pool =
      WorkerPool::open(device_, {.local_workers = 1, .worker_command = {"/nowhere/tune"}});
  ASSERT_FALSE(pool);
  EXPECT_EQ(pool.error().code(), ErrorCode::kNotFound);
}

TEST(Worker, NobodyAtTheAddress_IsAnErrorInTime) {
  TestProcess worker(
      {FAULTY_WORKER, "--connect", "unix:/nonexistent/socket", "--device", "esp32c3"});
  EXPECT_EQ(worker.read_line(), "no tuner answers at unix:/nonexistent/socket");
  EXPECT_EQ(worker.exit_code(seconds(10)), 1);
}

// Two of its own and one from outside, with their build servers, idle or in a job.
TEST(Worker, TunerKilled_EndsEveryWorker) {
  for (const char* what : {"hang", "slow"}) {
    TestProcess tuner({TUNER_TO_KILL, FAULTY_WORKER, what});
    std::istringstream line(tuner.read_line());
    std::string address;
    ASSERT_TRUE(line >> address);
    std::vector<int64_t> processes;
    for (int64_t pid; line >> pid;) processes.push_back(pid);
    ASSERT_EQ(processes.size(), 2u);
    TestProcess outside({FAULTY_WORKER, "--connect", address, "--device", "esp32c3"});
    ASSERT_TRUE(within(seconds(5), [&] { return children_of(outside.pid()).size() == 1; }));
    std::this_thread::sleep_for(milliseconds(300));
    for (const int64_t worker : {processes[0], processes[1], int64_t{outside.pid()}})
      for (const pid_t child : children_of(worker)) processes.push_back(child);
    EXPECT_EQ(processes.size(), 5u);
    tuner.kill();
    EXPECT_EQ(outside.exit_code(seconds(5)), 1);
    for (const int64_t process : processes)
      EXPECT_TRUE(within(seconds(5), [&] { return is_gone(process); })) << what;
  }
}

}  // namespace
}  // namespace tinytune
