// Access over an encrypted link: who is admitted and who is refused.
#include "rpc_device/fleet/keys.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <future>
#include <mutex>
#include <thread>

#include "base/files.h"
#include "base/temporary_directory.h"
#include "rpc_device/fleet/tokens.h"
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

  /// Returns the one-line refusal of a worker that must not be admitted.
  std::string refusal(WorkerPool& pool, const WorkerOptions& options, const JobFunctions& jobs) {
    const Status served = serve_jobs(options, device_, jobs);
    EXPECT_FALSE(served);
    EXPECT_EQ(pool.connected_workers(), 0u);
    if (served) return "";
    EXPECT_EQ(served.error().message().find('\n'), std::string::npos);
    return served.error().message();
  }

  /// The same where TLS itself fails, so that there is nothing to wait for.
  std::string no_answer(WorkerPool& pool, WorkerOptions options, const JobFunctions& jobs) {
    options.connect_timeout_ms = 2'000;
    return refusal(pool, options, jobs);
  }

  /// Expects a builder with these keys to get a job and to finish it.
  void expect_served(std::unique_ptr<WorkerPool> pool, const std::string& keys) {
    ASSERT_NE(pool, nullptr);
    auto served = std::async(std::launch::async,
                             [&] { return serve_jobs(worker(*pool, keys), device_, builder()); });
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

  /// Adds keys of another kind to the existing ones.
  void add_keys(const std::string& name, const KeyOptions& options) {
    KeyOptions named = options;
    named.name = name;
    ASSERT_TRUE(write_keys(path("ours"), named));
  }
  static constexpr Scope kBuilder{.build = true}, kBoards{.device = true};

  const TemporaryDirectory folder_;
  const Device device_ = load_device("esp32c3").value();
  std::mutex mutex_;
  std::string log_;
};

TEST_F(KeysTest, WorkerWithTheTunersAuthority_GetsWorkAndFinishesIt) {
  expect_served(listen(path("ours/tuner")), path("ours/worker"));
}

TEST_F(KeysTest, WorkerWithoutKeys_IsNotHeard) {
  const auto pool = listen(path("ours/tuner"));
  EXPECT_NE(no_answer(*pool, worker(*pool, ""), builder()).find("--keys"), std::string::npos);
}

TEST_F(KeysTest, WorkerOfAnotherAuthority_IsRefused) {
  ASSERT_TRUE(write_keys(path("theirs")));
  const auto pool = listen(path("ours/tuner"));
  EXPECT_NE(no_answer(*pool, worker(*pool, path("theirs/worker")), builder()).find("authorities"),
            std::string::npos);
}

TEST_F(KeysTest, TunerOfAnotherAuthority_IsNotWorkedFor) {
  ASSERT_TRUE(write_keys(path("theirs")));
  const auto pool = listen(path("theirs/tuner"));
  EXPECT_NE(no_answer(*pool, worker(*pool, path("ours/worker")), builder()).find("authorities"),
            std::string::npos);
}

TEST_F(KeysTest, WorkerThatPlaysTuner_IsNotWorkedFor) {
  const auto pool = listen(path("ours/worker"));
  EXPECT_NE(
      no_answer(*pool, worker(*pool, path("ours/worker")), builder()).find("no tuner answers"),
      std::string::npos);
}

TEST_F(KeysTest, ExpiredWorker_IsRefused) {
  KeyOptions past;
  past.days = 0;  // expires at once
  std::filesystem::create_directories(path("old"));
  for (const char* file : {"/ca.key", "/ca.pem"})
    std::filesystem::copy(path("ours") + file, path("old") + file);
  ASSERT_TRUE(write_keys(path("old"), past));
  std::this_thread::sleep_for(std::chrono::milliseconds(1'100));
  const auto pool = listen(path("ours/tuner"));
  EXPECT_NE(
      no_answer(*pool, worker(*pool, path("old/worker")), builder()).find("certificate expired on"),
      std::string::npos);
}

TEST_F(KeysTest, ExpiredTuner_IsNotWorkedFor) {
  ASSERT_TRUE(write_keys(path("ours"), {.days = 0}));  // the worker's too: renewed below
  std::filesystem::rename(path("ours/tuner"), path("old_tuner"));
  ASSERT_TRUE(write_keys(path("ours")));
  std::this_thread::sleep_for(std::chrono::milliseconds(1'100));
  const auto pool = listen(path("old_tuner"));
  EXPECT_NE(
      no_answer(*pool, worker(*pool, path("ours/worker")), builder()).find("no tuner answers"),
      std::string::npos);
}

TEST_F(KeysTest, TunerWithoutKeys_IsNotWorkedForByWhoHasSome) {
  const auto pool = listen("");
  add_keys("lab3", {.token = true});
  for (const char* keys : {"ours/worker", "ours/lab3"})
    EXPECT_NE(no_answer(*pool, worker(*pool, path(keys)), builder()).find("no tuner answers"),
              std::string::npos);
}

TEST_F(KeysTest, WorkerOutOfItsScope_IsToldWhatItMayNot) {
  JobFunctions simulator, board;
  simulator.run = board.run = [](const TaskData&, const BuiltKernel&, const MeasureLimits&) {
    return Result<MeasureResult>(MeasureResult{});
  };
  board.runs_on = "board-1";
  const struct {
    Scope scope;
    JobFunctions jobs;
    const char* told;
  } cases[] = {{kBoards, builder(), "do not let it build"},
               {kBuilder, simulator, "do not let it run in a simulator"},
               {{.build = true, .run = true}, board, "do not let it run on a board"},
               {{.view = true}, builder(), "do not let it build"}};
  for (const bool token : {false, true}) {
    for (const auto& [scope, jobs, told] : cases) {
      add_keys("lab3", {.token = token, .scope = scope});
      const auto pool = listen(path("ours/tuner"));
      const std::string line = refusal(*pool, worker(*pool, path("ours/lab3")), jobs);
      EXPECT_NE(line.find(told), std::string::npos) << line;
    }
  }
}

TEST_F(KeysTest, WorkerWithAToken_GetsWorkAndFinishesIt) {
  add_keys("lab3", {.token = true, .scope = kBuilder});
  expect_served(listen(path("ours/tuner")), path("ours/lab3"));
}

TEST_F(KeysTest, TunerThatTakesTokens_StillTakesCertificates) {
  add_keys("lab3", {.token = true});
  expect_served(listen(path("ours/tuner")), path("ours/worker"));
}

TEST_F(KeysTest, TokenThatIsNotGranted_IsRefusedInOneLine) {
  add_keys("lab3", {.token = true});
  add_keys("lab4", {.token = true});
  std::string wrong = read_keys(path("ours/lab3")).value().token;
  wrong.back() = wrong.back() == '0' ? '1' : '0';
  ASSERT_TRUE(write_file(path("ours/lab3/token"), wrong));
  const auto pool = listen(path("ours/tuner"));
  EXPECT_EQ(refusal(*pool, worker(*pool, path("ours/lab3")), builder()),
            "refused: this tuner never granted that token, or withdrew it");
}

TEST_F(KeysTest, TokenThatWasReplaced_IsRefused) {
  add_keys("lab3", {.token = true});
  std::filesystem::copy(path("ours/lab3"), path("copy"));
  add_keys("lab3", {.token = true});
  const auto pool = listen(path("ours/tuner"));
  EXPECT_NE(refusal(*pool, worker(*pool, path("copy")), builder()).find("withdrew"),
            std::string::npos);
}

TEST_F(KeysTest, ExpiredToken_IsRefusedWithItsDay) {
  add_keys("lab3", {.days = 0, .token = true});
  ASSERT_TRUE(write_keys(path("ours")));  // a tuner key that is still valid
  const auto pool = listen(path("ours/tuner"));
  EXPECT_NE(refusal(*pool, worker(*pool, path("ours/lab3")), builder())
                .find("refused: the token 'lab3' expired on 2"),
            std::string::npos);
}

// To admit tokens, a tuner does not require client certificates.
TEST_F(KeysTest, NeitherCertificateNorToken_IsRefused) {
  add_keys("lab3", {.token = true});
  std::filesystem::create_directories(path("none"));
  std::filesystem::copy(path("ours/ca.pem"), path("none/ca.pem"));
  ASSERT_TRUE(write_file(path("none/cert.pem"), ""));
  ASSERT_TRUE(write_file(path("none/key.pem"), ""));
  ASSERT_EQ(::chmod(path("none/key.pem").c_str(), 0600), 0);
  const auto pool = listen(path("ours/tuner"));
  EXPECT_EQ(refusal(*pool, worker(*pool, path("none")), builder()),
            "refused: neither a certificate nor a token was shown");
}

TEST_F(KeysTest, CertificateOfAnotherAuthority_IsRefusedWhereTokensAreTakenToo) {
  add_keys("lab3", {.token = true});
  ASSERT_TRUE(write_keys(path("theirs")));
  std::filesystem::copy(path("ours/ca.pem"), path("theirs/worker/ca.pem"),
                        std::filesystem::copy_options::overwrite_existing);
  const auto pool = listen(path("ours/tuner"));
  no_answer(*pool, worker(*pool, path("theirs/worker")), builder());
}

TEST_F(KeysTest, Token_IsInNoLineAndInNoFileOfTheTuner) {
  add_keys("lab3", {.token = true, .scope = kBoards});
  const std::string token = read_keys(path("ours/lab3")).value().token;
  const auto pool = listen(path("ours/tuner"));
  const std::string told = refusal(*pool, worker(*pool, path("ours/lab3")), builder());
  EXPECT_EQ(told.find(token), std::string::npos);
  const std::lock_guard lock(mutex_);
  EXPECT_FALSE(log_.empty());
  EXPECT_EQ(log_.find(token), std::string::npos);
  for (const auto& file : std::filesystem::directory_iterator(path("ours/tuner"))) {
    const auto bytes = read_file(file.path()).value();
    EXPECT_EQ(text_of(bytes).find(token), std::string::npos) << file.path();
  }
}

TEST_F(KeysTest, TokenThatOthersMayRead_IsRefused) {
  add_keys("lab3", {.token = true});
  ASSERT_EQ(::chmod(path("ours/lab3/token").c_str(), 0640), 0);
  const auto keys = read_keys(path("ours/lab3"));
  ASSERT_FALSE(keys);
  EXPECT_NE(keys.error().message().find("chmod 600"), std::string::npos);
}

TEST_F(KeysTest, TokenForATuner_IsRefused) {
  add_keys("lab3", {.token = true});
  const auto pool = WorkerPool::open(device_, {.listen = "127.0.0.1:0", .keys = path("ours/lab3")});
  ASSERT_FALSE(pool);
  EXPECT_NE(pool.error().message().find("a tuner has a certificate"), std::string::npos);
}

TEST_F(KeysTest, NamesThatAreNone_AreRefused) {
  for (const char* name : {"", "tuner", "../ours", "a b"})
    EXPECT_FALSE(write_keys(path("ours"), {.name = name})) << name;
}

TEST_F(KeysTest, DamagedListOfTokens_IsRefusedWithItsLine) {
  add_keys("lab3", {.token = true});
  ASSERT_TRUE(write_file(path("ours/tuner/tokens"), "# mine\nlab3 build soon abc\n"));
  const auto list = TokenList::read(path("ours/tuner/tokens"));
  ASSERT_FALSE(list);
  EXPECT_NE(list.error().message().find("tokens:2: "), std::string::npos);
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

TEST(Scopes, Subject_SaysWhatAWorkerMayAndNobodyElse) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(words_of(scope_of_subject("OU=run,OU=build,CN=worker.tinytune")),
            (Words{"build", "run"}));
  EXPECT_EQ(words_of(scope_of_subject("CN=worker.tinytune,OU=device")), Words{"device"});
  for (const char* subject :
       {"CN=tuner.tinytune,OU=build", "OU=build", "", "CN=worker.tinytune2,OU=run"})
    EXPECT_EQ(words_of(scope_of_subject(subject)), Words{}) << subject;
}

TEST(Scopes, Text_IsWordsWithCommas) {
  EXPECT_EQ(words_of(parse_scope("view,build").value()),
            (std::vector<std::string>{"build", "view"}));
  for (const char* text : {"", "build,", "all", "Build", "build run"})
    EXPECT_FALSE(parse_scope(text)) << text;
}

}  // namespace
}  // namespace tinytune
