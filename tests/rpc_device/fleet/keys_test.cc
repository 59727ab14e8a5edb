// Who is let in over an encrypted link, and who is not.
#include "rpc_device/fleet/keys.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <future>
#include <mutex>
#include <thread>

#include "base/files.h"
#include "base/temporary_directory.h"
#include "rpc_device/fleet/worker.h"
#include "rpc_device/fleet/worker_pool.h"
#include "tests/measure/small_task.h"

namespace tinytune {
namespace {

class KeysTest : public testing::Test {
 protected:
  KeysTest() : folder_(TemporaryDirectory::create("keys").value()) {
    EXPECT_TRUE(write_keys(path("ours")));
  }
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }

  std::unique_ptr<WorkerPool> listen(const std::string& keys) {
    WorkerPoolOptions options;
    options.listen = "127.0.0.1:0";
    options.keys = keys;
    auto pool = WorkerPool::open(device_, options, [this](LogLevel, const std::string& line) {
      const std::lock_guard lock(mutex_);
      log_ += line + "\n";
    });
    EXPECT_TRUE(pool) << pool.error().message();
    return pool ? std::move(*pool) : nullptr;
  }

  WorkerOptions worker(const WorkerPool& pool, const std::string& keys) const {
    WorkerOptions options;
    options.connect = pool.address();
    options.keys = keys;
    options.connect_timeout_ms = 2'000;
    return options;
  }

  JobFunctions builder() const {
    JobFunctions jobs;
    jobs.build = [](const TaskData&, const Schedule&, const MeasureLimits&) {
      BuiltCandidate built;
      built.result.outcome = Outcome::kBuildFailed;
      built.result.fidelity = Fidelity::kBuild;
      built.result.detail = "as this test wants it";
      return Result<BuiltCandidate>(built);
    };
    return jobs;
  }

  /// What becomes of one that should not get in.
  std::string refusal(WorkerPool& pool, const WorkerOptions& options, const JobFunctions& jobs) {
    const Status served = serve_jobs(options, device_, jobs);
    EXPECT_FALSE(served);
    EXPECT_EQ(pool.connected_workers(), 0u);
    return served ? "" : served.error().message();
  }

  const TemporaryDirectory folder_;
  const Device device_ = load_device("esp32c3").value();
  std::mutex mutex_;
  std::string log_;
};

TEST_F(KeysTest, WorkerWithTheTunersAuthority_GetsWorkAndFinishesIt) {
  auto pool = listen(path("ours/tuner"));
  ASSERT_NE(pool, nullptr);
  auto served = std::async(std::launch::async, [&] {
    return serve_jobs(worker(*pool, path("ours/worker")), device_, builder());
  });
  const auto task = small_conv_task();
  const uint64_t ticket =
      pool->submit(pool->add_task(task), default_schedule_of(task.workload, device_).value(), {},
                   Fidelity::kBuild);
  const auto finished = pool->next_finished(std::chrono::seconds(20));
  ASSERT_TRUE(finished && finished->has_value()) << log_;
  EXPECT_EQ((*finished)->ticket, ticket);
  EXPECT_EQ((*finished)->result.detail, "as this test wants it");
  pool.reset();
  EXPECT_TRUE(served.get());
}

TEST_F(KeysTest, WorkerWithoutKeys_IsNotHeard) {
  const auto pool = listen(path("ours/tuner"));
  EXPECT_NE(refusal(*pool, worker(*pool, ""), builder()).find("--keys"), std::string::npos);
}

TEST_F(KeysTest, WorkerOfAnotherAuthority_IsRefused) {
  ASSERT_TRUE(write_keys(path("theirs")));
  const auto pool = listen(path("ours/tuner"));
  EXPECT_NE(refusal(*pool, worker(*pool, path("theirs/worker")), builder()).find("authorities"),
            std::string::npos);
}

TEST_F(KeysTest, TunerOfAnotherAuthority_IsNotWorkedFor) {
  ASSERT_TRUE(write_keys(path("theirs")));
  const auto pool = listen(path("theirs/tuner"));
  EXPECT_NE(refusal(*pool, worker(*pool, path("ours/worker")), builder()).find("authorities"),
            std::string::npos);
}

TEST_F(KeysTest, WorkerThatPlaysTuner_IsNotWorkedFor) {
  const auto pool = listen(path("ours/worker"));
  refusal(*pool, worker(*pool, path("ours/worker")), builder());
}

TEST_F(KeysTest, ExpiredWorker_IsRefused) {
  KeyOptions past;
  past.days = 0;  // good until now
  std::filesystem::create_directories(path("old"));
  for (const char* file : {"/ca.key", "/ca.pem"})
    std::filesystem::copy(path("ours") + file, path("old") + file);
  ASSERT_TRUE(write_keys(path("old"), past));
  std::this_thread::sleep_for(std::chrono::milliseconds(1'100));
  const auto pool = listen(path("ours/tuner"));
  refusal(*pool, worker(*pool, path("old/worker")), builder());
}

TEST_F(KeysTest, WorkerOutOfItsScope_IsToldWhatItMayNot) {
  KeyOptions options;
  options.may_build = false;
  ASSERT_TRUE(write_keys(path("ours"), options));
  const auto pool = listen(path("ours/tuner"));
  EXPECT_NE(
      refusal(*pool, worker(*pool, path("ours/worker")), builder()).find("do not let it build"),
      std::string::npos);
}

TEST_F(KeysTest, ListeningToOtherMachinesWithoutKeys_NeedsTheWord) {
  WorkerPoolOptions options;
  options.listen = "0.0.0.0:0";
  const auto refused = WorkerPool::open(device_, options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kInvalidInput);
  EXPECT_NE(refused.error().message().find("--insecure"), std::string::npos);
  options.insecure = true;
  EXPECT_TRUE(WorkerPool::open(device_, options));
}

TEST_F(KeysTest, KeyThatOthersMayRead_IsRefused) {
  EXPECT_TRUE(read_keys(path("ours/worker")));
  ASSERT_EQ(::chmod(path("ours/worker/key.pem").c_str(), 0644), 0);
  const auto keys = read_keys(path("ours/worker"));
  ASSERT_FALSE(keys);
  EXPECT_NE(keys.error().message().find("chmod 600"), std::string::npos);
}

TEST_F(KeysTest, SecondCall_KeepsTheAuthority) {
  const auto before = read_file(path("ours/ca.pem")).value();
  ASSERT_TRUE(write_keys(path("ours")));
  EXPECT_EQ(read_file(path("ours/ca.pem")).value(), before);
}

TEST(WorkerScopes, Subject_SaysWhatAWorkerMayAndNobodyElse) {
  const WorkerScope both = scope_of_subject("OU=run,OU=build,CN=worker.tinytune");
  EXPECT_TRUE(both.may_build && both.may_run);
  const WorkerScope run = scope_of_subject("CN=worker.tinytune,OU=run");
  EXPECT_TRUE(!run.may_build && run.may_run);
  for (const char* subject :
       {"CN=tuner.tinytune,OU=build", "OU=build", "", "CN=worker.tinytune2,OU=run"})
    EXPECT_FALSE(scope_of_subject(subject).may_build || scope_of_subject(subject).may_run)
        << subject;
}

}  // namespace
}  // namespace tinytune
