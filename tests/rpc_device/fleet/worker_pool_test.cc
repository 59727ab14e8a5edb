#include "rpc_device/fleet/worker_pool.h"

#include <sstream>

#include "rpc_device/fleet/build_id.h"
#include "rpc_device/fleet/protocol.h"
#include "tests/rpc_device/fleet/pool_test.h"
#include "tests/rpc_device/fleet/raw_worker.h"

namespace tinytune {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

using WorkerPoolTest = PoolTest;

TEST_F(WorkerPoolTest, AnyNumberOfWorkers_GivesTheSameResults) {
  const ConfigSpace space = space_of(task_.workload, task_.data, device_);
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
    EXPECT_EQ(one.code.code_bytes, two.code.code_bytes);
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

// Its heartbeats go on; only the time limit of the job shows that it makes no progress.
TEST_F(WorkerPoolTest, WedgedWorker_LosesItsJobAndItsLife) {
  auto pool = open(1, {.patience = {.job = milliseconds(100)}});
  ASSERT_NE(pool, nullptr);
  const auto task = pool->add_task(task_);
  MeasureLimits short_limits;
  short_limits.build_cpu_ms = 50;
  short_limits.run_cycles = 10'000'000;
  short_limits.run_ms = 100;
  const auto hanging = pool->submit(task, fault("hang"), short_limits);
  const auto after = pool->submit(task, default_schedule(), {});
  const auto results = collect(*pool, 2);
  EXPECT_EQ(results.at(hanging).outcome, Outcome::kLost);
  EXPECT_NE(results.at(hanging).detail.find("at one job"), std::string::npos)
      << results.at(hanging).detail;
  EXPECT_EQ(results.at(after).outcome, Outcome::kOk);
  EXPECT_EQ(pool->statistics().workers.size(), 1u) << "the dead are not kept";
}

TEST_F(WorkerPoolTest, StoppedWorker_IsReplacedWhenItsHeartbeatsCease) {
  auto pool = open(1, {.patience = {.heartbeat = milliseconds(2500)}});
  ASSERT_NE(pool, nullptr);
  ASSERT_TRUE(within(kPatience, [&] { return pool->connected_workers() == 1; }));
  const int64_t process = process_of(pool->statistics().workers[0]);
  kill(static_cast<pid_t>(process), SIGSTOP);
  EXPECT_TRUE(log_says("has been silent for 2500 ms"));
  EXPECT_TRUE(within(kPatience, [&] { return is_gone(process); }));
  const auto ticket = pool->submit(pool->add_task(task_), fault("instant"), {});
  EXPECT_EQ(collect(*pool, 1).at(ticket).outcome, Outcome::kOk);
}

TEST_F(WorkerPoolTest, ResultThatCannotBe_IsNeverReported) {
  for (const char* what : {"zero", "bare", "few"}) {
    auto pool = open(1);
    ASSERT_NE(pool, nullptr);
    const auto ticket = pool->submit(pool->add_task(task_), fault(what), {});
    const MeasureResult result = collect(*pool, 1).at(ticket);
    EXPECT_EQ(result.outcome, Outcome::kLost) << what;
    EXPECT_TRUE(result.cycles.empty());
    EXPECT_NE(log().find("cut off worker"), std::string::npos) << log();
  }
}

TEST_F(WorkerPoolTest, FailureOfTheMachine_EndsTheRunWithItsLineAndNoResult) {
  auto pool = open(2);
  ASSERT_NE(pool, nullptr);
  pool->submit(pool->add_task(task_), fault("full"), {});
  std::string reason;
  EXPECT_TRUE(within(kPatience, [&] {
    const auto finished = pool->next_finished(milliseconds(20));
    EXPECT_FALSE(finished && finished->has_value()) << name_of((*finished)->result.outcome);
    if (!finished) reason = finished.error().message();
    return !finished;
  }));
  EXPECT_TRUE(reason.starts_with("no worker can do its work: worker ")) << reason;
  EXPECT_NE(reason.find("the last: No space left on device"), std::string::npos) << reason;
}

TEST_F(WorkerPoolTest, Results_SayWhichBuildAndSourceTheyComeFrom) {
  auto pool = open(1);
  ASSERT_NE(pool, nullptr);
  const auto ticket = pool->submit(pool->add_task(task_), fault("instant"), {});
  const MeasureResult result = collect(*pool, 1).at(ticket);
  EXPECT_EQ(result.build, build_id());
  EXPECT_EQ(result.source, "simulator");
  EXPECT_EQ(result.fidelity, Fidelity::kSimulate);
}

TEST_F(WorkerPoolTest, BuilderAndRunner_MeasureWhatOneWorkerWould) {
  auto alone = open(1);
  ASSERT_NE(alone, nullptr);
  const auto ticket = alone->submit(alone->add_task(task_), default_schedule(), {});
  const MeasureResult expected = collect(*alone, 1).at(ticket);
  alone.reset();

  auto pool = open(0);
  ASSERT_NE(pool, nullptr);
  const auto start = [&](const char* half) {
    return std::make_unique<TestProcess>(std::vector<std::string>{
        FAULTY_WORKER, "--connect", pool->address(), "--device", "esp32c3", "--only", half});
  };
  const auto builder = start("build");
  const auto task = pool->add_task(task_);
  const auto built = pool->submit(task, default_schedule(), {}, Fidelity::kBuild);
  const auto whole = pool->submit(task, default_schedule(), {});
  const MeasureResult only_built = collect(*pool, 1).at(built);
  EXPECT_EQ(only_built.outcome, Outcome::kOk);
  EXPECT_EQ(only_built.fidelity, Fidelity::kBuild);
  EXPECT_TRUE(only_built.cycles.empty());
  EXPECT_EQ(only_built.code.code_bytes, expected.code.code_bytes);

  const auto runner = start("run");
  const MeasureResult result = collect(*pool, 1).at(whole);
  EXPECT_EQ(result.outcome, Outcome::kOk) << result.detail;
  EXPECT_EQ(result.cycles, expected.cycles);
  EXPECT_EQ(result.code, expected.code);
  EXPECT_EQ(result.image, expected.image);
  EXPECT_EQ(result.ram_bytes, expected.ram_bytes);
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
    EXPECT_LT(std::chrono::steady_clock::now() - start, kPatience);  // a hanging job never ends
  }
  EXPECT_EQ(processes.size(), 8u);  // workers and their build servers
  for (const int64_t process : processes)
    EXPECT_TRUE(within(kPatience, [&] { return is_gone(process); })) << process;
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

TEST_F(WorkerPoolTest, RunThatEnds_SaysNothingOfATunerThatIsGone) {
  auto pool = open(0);
  ASSERT_NE(pool, nullptr);
  const auto start = [&] {
    return std::make_unique<TestProcess>(std::vector<std::string>{
        FAULTY_WORKER, "--connect", pool->address(), "--device", "esp32c3"});
  };
  const auto busy = start();
  ASSERT_TRUE(within(kPatience, [&] { return pool->connected_workers() == 1; }));
  pool->submit(pool->add_task(task_), fault("slow"), {});
  const auto idle = start();
  ASSERT_TRUE(within(kPatience, [&] { return pool->connected_workers() == 2; }));
  pool.reset();
  for (const auto& worker : {busy.get(), idle.get()}) {
    EXPECT_EQ(worker->read_line(), "");
    EXPECT_EQ(worker->exit_code(seconds(5)), 0);
  }
  EXPECT_EQ(log(), "");
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

TEST_F(WorkerPoolTest, WorkerOfAnotherBuild_IsRefusedInOneLine) {
  auto pool = open(0);
  ASSERT_NE(pool, nullptr);
  TestProcess worker({FAULTY_WORKER, "--connect", pool->address(), "--device", "esp32c3",
                      "--build-id", "0.0.9-feed"});
  EXPECT_EQ(worker.read_line(),
            "refused: the worker is build 0.0.9-feed, the tuner is build " + build_id());
  EXPECT_EQ(worker.read_line(), "");
  EXPECT_EQ(worker.exit_code(seconds(5)), 2);
}

TEST_F(WorkerPoolTest, OtherProtocolOrDeviceFile_IsRefused) {
  auto pool = open(0);
  ASSERT_NE(pool, nullptr);
  const auto answer_to = [&](const rpc::Hello& hello) {
    RawWorker worker(pool->address());
    worker.say(hello);
    return worker.hear().value_or(rpc::ToWorker());
  };
  rpc::Hello hello = hello_of(device_);
  EXPECT_TRUE(answer_to(hello).has_welcome());
  hello.set_device_hash(device_.hash ^ 1);
  EXPECT_NE(answer_to(hello).refusal().reason().find("differs"), std::string::npos);
  hello.set_device_hash(device_.hash);
  hello.set_protocol(kProtocolVersion + 1);
  const std::string reason = answer_to(hello).refusal().reason();
  EXPECT_NE(reason.find("protocol"), std::string::npos);
  EXPECT_EQ(reason.find('\n'), std::string::npos);
}

TEST_F(WorkerPoolTest, WorkerThatStays_ServesTheNextTunerToo) {
  std::string address;
  std::unique_ptr<TestProcess> worker;
  for (int run = 0; run < 2; ++run) {
    auto pool = run == 0 ? open(0) : open(0, {.listen = address});
    ASSERT_NE(pool, nullptr);
    if (run == 0) {
      address = "unix:" + testing::TempDir() + "/staying-" + std::to_string(getpid());
      pool = open(0, {.listen = address});
      ASSERT_NE(pool, nullptr);
      worker = std::make_unique<TestProcess>(std::vector<std::string>{
          FAULTY_WORKER, "--connect", address, "--device", "esp32c3", "--stay", "1"});
    }
    const auto ticket = pool->submit(pool->add_task(task_), default_schedule(), {});
    EXPECT_EQ(collect(*pool, 1).at(ticket).outcome, Outcome::kOk);
    pool.reset();
    EXPECT_EQ(worker->read_line(),
              "serving the tuner at " + address + ": builds, runs on simulator");
    EXPECT_EQ(worker->read_line(), "the run is over; jobs done here: 1");
    EXPECT_EQ(worker->read_line(), "waiting for the next tuner");
  }
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

TEST(Worker, HostThatIsNotKnown_IsAnErrorAtOnce) {
  TestProcess worker({FAULTY_WORKER, "--connect", "nowhere.invalid:7000", "--device", "esp32c3"});
  EXPECT_TRUE(worker.read_line().starts_with("the host of address nowhere.invalid:7000"));
  EXPECT_EQ(worker.read_line(), "") << "gRPC says nothing of its own";
  EXPECT_EQ(worker.exit_code(seconds(20)), 1);
}

// Two local workers and one from outside, with their build servers, idle or in a job.
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
    ASSERT_TRUE(within(kPatience, [&] { return children_of(outside.pid()).size() == 1; }));
    std::this_thread::sleep_for(milliseconds(300));
    for (const int64_t worker : {processes[0], processes[1], int64_t{outside.pid()}})
      for (const pid_t child : children_of(worker)) processes.push_back(child);
    EXPECT_EQ(processes.size(), 5u);
    tuner.kill();
    EXPECT_EQ(outside.exit_code(seconds(5)), 1);
    for (const int64_t process : processes)
      EXPECT_TRUE(within(kPatience, [&] { return is_gone(process); })) << what;
  }
}

}  // namespace
}  // namespace tinytune
