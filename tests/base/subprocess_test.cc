#include "base/subprocess.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/child.h"

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
  const auto r = run_process({"sh", "-c", "exec >&- 2>&-; sleep 300"}, milliseconds(200));
  ASSERT_FALSE(r.has_value());
  EXPECT_EQ(r.error().code(), ErrorCode::kFailed);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(60));
}

/// Sets a SIGCHLD handler for the duration of a test, as a host program may.
class WithSigchld {
 public:
  explicit WithSigchld(void (*handler)(int)) {
    struct sigaction action {};
    action.sa_handler = handler;
    sigaction(SIGCHLD, &action, &before_);
  }
  ~WithSigchld() { sigaction(SIGCHLD, &before_, nullptr); }

 private:
  struct sigaction before_ {};
};

TEST(RunProcess, HostThatIgnoresSigchld_StillLearnsHowProgramsEnd) {
  const WithSigchld ignored(SIG_IGN);
  const auto failed = run_process({"/bin/false"}, seconds(10));
  ASSERT_TRUE(failed.has_value()) << failed.error().message();
  EXPECT_EQ(failed->exit_code, 1);
  const auto killed = run_process({"sh", "-c", "kill -SEGV $$"}, seconds(10));
  ASSERT_TRUE(killed.has_value());
  EXPECT_EQ(killed->exit_code, 128 + 11);
  EXPECT_EQ(run_process({"tinytune-has-no-such-program"}, seconds(10)).error().code(),
            ErrorCode::kNotFound);
}

TEST(RunProcess, HostThatWaitsForAnyChild_NeitherTakesOursNorHearsOfThem) {
  static volatile sig_atomic_t heard;
  heard = 0;
  const WithSigchld taken([](int) {
    const int before = errno;
    heard = 1;
    while (waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    errno = before;
  });
  const auto r = run_process({"sh", "-c", "exit 7"}, seconds(10));
  ASSERT_TRUE(r.has_value());
  EXPECT_EQ(r->exit_code, 7);
  EXPECT_EQ(heard, 0);
  EXPECT_EQ(waitpid(-1, nullptr, __WALL), -1) << "a process is left behind";
}

TEST(RunProcess, Timeout_AlsoEndsWhatKeepsTheProgram) {
  const std::string pid_file = testing::TempDir() + "/tinytune-pid";
  const auto r =
      run_process({"sh", "-c", "echo $$ >" + pid_file + "; exec sleep 60"}, milliseconds(500));
  ASSERT_FALSE(r.has_value());
  pid_t program = 0;
  std::ifstream(pid_file) >> program;
  std::filesystem::remove(pid_file);
  ASSERT_GT(program, 0);
  for (int i = 0; i < 100 && kill(program, 0) == 0; ++i) {
    std::string state, word;
    std::ifstream stat("/proc/" + std::to_string(program) + "/stat");
    stat >> word >> word >> state;
    if (state == "Z") break;  // killed, but not yet reaped by its new parent
    std::this_thread::sleep_for(milliseconds(20));
    ASSERT_LT(i, 99) << "the program goes on";
  }
}

TEST(RunProcess, ManyAtOnce_EachHasItsOwnEnd) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([i] {
      for (int n = 0; n < 5; ++n) {
        const auto r = run_process({"sh", "-c", "exit " + std::to_string(i)}, seconds(60));
        ASSERT_TRUE(r.has_value());
        EXPECT_EQ(r->exit_code, i);
      }
    });
  for (std::thread& thread : threads) thread.join();
}

TEST(PollChild, HostThatIgnoresSigchld_SeesTheEndButNotHow) {
  const WithSigchld ignored(SIG_IGN);
  const pid_t pid = fork();
  if (pid == 0) _exit(3);
  std::optional<ChildEnd> end;
  for (int i = 0; i < 500 && !end; ++i) {
    end = poll_child(pid);
    std::this_thread::sleep_for(milliseconds(10));
  }
  ASSERT_TRUE(end.has_value());
  EXPECT_FALSE(end->known);
}

TEST(PollChild, OtherHosts_SeeBoth) {
  const pid_t pid = fork();
  if (pid == 0) {
    usleep(200'000);
    _exit(3);
  }
  EXPECT_FALSE(poll_child(pid).has_value());
  std::optional<ChildEnd> end;
  while (!end) end = poll_child(pid);
  EXPECT_TRUE(end->known);
  EXPECT_EQ(WEXITSTATUS(end->status), 3);
}

}  // namespace
}  // namespace tinytune
