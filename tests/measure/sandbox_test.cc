#include "measure/sandbox.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <new>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>

#include "base/temporary_directory.h"
#include "tests/measure/processes.h"

namespace tinytune {
namespace {

using Clock = std::chrono::steady_clock;
using Bytes = std::vector<uint8_t>;

Bytes text(const std::string& words) { return {words.begin(), words.end()}; }

volatile int* volatile nowhere = nullptr;

Sandbox::Answer misbehave(std::span<const uint8_t> request) {
  const std::string what(request.begin(), request.end());
  if (what == "crash") *nowhere = 1;
  if (what == "abort") {
    fprintf(stderr, "first words\nlast words\n");
    abort();
  }
  if (what == "abort with a directory") {
    const auto directory = TemporaryDirectory::create("doomed");
    abort();
  }
  if (what == "exit") _exit(3);
  if (what == "throw") throw std::runtime_error("refused to work");
  if (what == "hang")
    while (true) pause();
  if (what == "spin")
    while (true) asm volatile("");
  if (what == "speak") printf("words\n");
  if (what == "work") {  // a tenth of a second of processor time
    const std::clock_t end = std::clock() + CLOCKS_PER_SEC / 10;
    while (std::clock() < end) asm volatile("");
    return text("done");
  }
  if (what == "hang with closed files") {
    for (int fd = 0; fd < 64; ++fd) close(fd);
    while (true) pause();
  }
  if (what == "leave a child") {
    const pid_t left = fork();
    while (left == 0) pause();
    return text(std::to_string(left));
  }
  if (what == "hog") {
    std::vector<Bytes> all;
    while (true) all.emplace_back(16 << 20, 1);
  }
  if (what == "large") {
    Bytes large(48 << 20);
    for (size_t i = 0; i < large.size(); ++i) large[i] = static_cast<uint8_t>(i * 7 >> 3);
    return large;
  }
  if (what == "nothing") return Bytes();
  if (what == "who") return text(std::to_string(getpid()));
  if (what == "who leaves marks") return {text(std::to_string(getpid())), true};
  static bool been_here = false;
  if (what == "crash the second time" && std::exchange(been_here, true)) *nowhere = 1;
  if (what == "hog the second time" && std::exchange(been_here, true)) throw std::bad_alloc();
  Bytes reversed(request.rbegin(), request.rend());
  return reversed;
}

bool gone_within(pid_t pid, std::chrono::milliseconds time) {
  const auto deadline = Clock::now() + time;
  while (Clock::now() < deadline) {
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    std::string line;
    if (!std::getline(stat, line) || line[line.rfind(')') + 2] == 'Z') return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

class SandboxTest : public testing::Test {
 protected:
  SandboxTest() : sandbox_(Sandbox::start(misbehave).value()) {}
  SandboxReport run(const std::string& what, SandboxLimits limits = {}) {
    auto report = sandbox_.run(text(what), limits);
    EXPECT_TRUE(report) << report.error().message();
    return report ? *report : SandboxReport{};
  }
  void expect_still_works() {
    const SandboxReport report = run("abc");
    EXPECT_EQ(report.end, SandboxEnd::kReturned) << report.detail;
    EXPECT_EQ(report.bytes, text("cba"));
  }
  Sandbox sandbox_;
};

TEST_F(SandboxTest, Function_ReturnsItsBytes) {
  for (int i = 0; i < 20; ++i) expect_still_works();
  EXPECT_EQ(run("nothing").end, SandboxEnd::kReturned);
  EXPECT_TRUE(run("nothing").bytes.empty());
}

TEST_F(SandboxTest, CallsThatReturn_ShareAChild) {
  const Bytes first = run("who").bytes;
  EXPECT_EQ(run("who").bytes, first);
  EXPECT_EQ(run("crash").end, SandboxEnd::kCrashed);
  const Bytes second = run("who").bytes;
  EXPECT_NE(second, first);
  std::set<Bytes> others;
  for (int i = 0; i < 100; ++i) others.insert(run("who").bytes);
  EXPECT_EQ(others.size(), 2U);  // a child is replaced at times
}

TEST_F(SandboxTest, ChildThatACallLeftMarksIn_IsNotUsedAgain) {
  const Bytes first = run("who").bytes;
  EXPECT_EQ(run("who leaves marks").bytes, first);
  EXPECT_NE(run("who").bytes, first);
}

TEST_F(SandboxTest, FailureThatEarlierCallsMayHaveLeft_IsAskedOfANewChild) {
  for (int i = 0; i < 4; ++i) {
    const SandboxReport report = run("crash the second time");
    EXPECT_EQ(report.end, SandboxEnd::kReturned) << report.detail;
  }
  for (int i = 0; i < 4; ++i) EXPECT_EQ(run("hog the second time").end, SandboxEnd::kReturned);
}

TEST_F(SandboxTest, ProcessorTime_IsOfOneCall) {
  for (int i = 0; i < 5; ++i) {
    const SandboxReport report = run("work", {.cpu_ms = 250});
    EXPECT_EQ(report.end, SandboxEnd::kReturned) << report.detail;
  }
}

TEST_F(SandboxTest, WordsOfAnEarlierCall_AreForgotten) {
  run("speak");
  EXPECT_EQ(run("exit").detail, "exited without a result");
}

TEST_F(SandboxTest, LargeResult_ArrivesWhole) {
  const SandboxReport report = run("large");
  ASSERT_EQ(report.end, SandboxEnd::kReturned);
  ASSERT_EQ(report.bytes.size(), size_t{48} << 20);
  EXPECT_EQ(report.bytes[12345678], static_cast<uint8_t>(size_t{12345678} * 7 >> 3));
}

TEST_F(SandboxTest, LargeRequest_ArrivesWhole) {
  const Bytes large(8 << 20, 42);
  auto report = sandbox_.run(large, {});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->bytes, large);
}

TEST_F(SandboxTest, Crash_IsAReport) {
#ifndef __SANITIZE_ADDRESS__  // its handler exits instead
  const SandboxReport report = run("crash");
  EXPECT_EQ(report.end, SandboxEnd::kCrashed);
  EXPECT_NE(report.detail.find("Segmentation fault"), std::string::npos) << report.detail;
#else
  EXPECT_EQ(run("crash").end, SandboxEnd::kCrashed);
#endif
  expect_still_works();
}

TEST_F(SandboxTest, Abort_IsReportedWithItsLastWords) {
  const SandboxReport report = run("abort");
  EXPECT_EQ(report.end, SandboxEnd::kCrashed);
  EXPECT_NE(report.detail.find(": last words"), std::string::npos) << report.detail;
  EXPECT_EQ(report.detail.find("first"), std::string::npos);
  expect_still_works();
}

TEST_F(SandboxTest, ExceptionAndExit_AreReports) {
  EXPECT_EQ(run("throw").end, SandboxEnd::kCrashed);
  EXPECT_EQ(run("throw").detail, "refused to work");
  EXPECT_EQ(run("exit").end, SandboxEnd::kCrashed);
  EXPECT_EQ(run("exit").detail, "exited without a result");
  expect_still_works();
}

TEST_F(SandboxTest, Spin_UsesUpItsProcessorTime) {
  const auto start = Clock::now();
  const SandboxReport report = run("spin", {.cpu_ms = 200});
  EXPECT_EQ(report.end, SandboxEnd::kCpuTime) << report.detail;
  EXPECT_GE(Clock::now() - start, std::chrono::milliseconds(200));
  expect_still_works();
}

TEST_F(SandboxTest, WaitForNothing_IsStuckAndNotOutOfTime) {
  const auto start = Clock::now();
  EXPECT_EQ(run("hang", {.cpu_ms = 100, .wall_ms = 300}).end, SandboxEnd::kStuck);
  EXPECT_EQ(run("hang with closed files", {.cpu_ms = 100, .wall_ms = 300}).end, SandboxEnd::kStuck);
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(60));
  expect_still_works();
}

// Several processes that keep this process's core busy.
class Load {
 public:
  Load() {
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
    for (int i = 0; i < 6; ++i) {
      const pid_t pid = fork();
      if (pid == 0)
        while (true) asm volatile("");
      pids_.push_back(pid);
    }
  }
  ~Load() {
    for (const pid_t pid : pids_) {
      kill(pid, SIGKILL);
      waitpid(pid, nullptr, 0);
    }
    sched_setaffinity(0, sizeof before_, &before_);
  }

 private:
  cpu_set_t before_;
  std::vector<pid_t> pids_;
};

TEST(Sandbox, LoadedMachine_ChangesNoVerdict) {
  const Load load;
  auto sandbox = Sandbox::start(misbehave).value();
  const SandboxLimits limits{.cpu_ms = 250};
  const auto start = Clock::now();
  const auto worked = sandbox.run(text("work"), limits);
  EXPECT_GT(Clock::now() - start, std::chrono::milliseconds(limits.cpu_ms));  // else no load
  ASSERT_TRUE(worked);
  EXPECT_EQ(worked->end, SandboxEnd::kReturned) << worked->detail;
  EXPECT_EQ(sandbox.run(text("spin"), limits)->end, SandboxEnd::kCpuTime);
}

TEST_F(SandboxTest, SignalFromOutside_IsToldFromTheChildsOwn) {
  for (const int signal : {SIGKILL, SIGTERM, SIGUSR1, SIGXCPU}) {
    const Killer killer(sandbox_.server_pid(), signal, 1);
    const SandboxReport report = run("hang");
    EXPECT_EQ(report.end, SandboxEnd::kKilled) << report.detail;
  }
  EXPECT_EQ(run("abort").end, SandboxEnd::kCrashed);
  expect_still_works();
}

TEST_F(SandboxTest, NoDescriptorsLeft_IsAnErrorAndNoReport) {
  rlimit before{}, few{3, 3};
  ASSERT_EQ(prlimit(sandbox_.server_pid(), RLIMIT_NOFILE, nullptr, &before), 0);
  few.rlim_max = before.rlim_max;
  ASSERT_EQ(prlimit(sandbox_.server_pid(), RLIMIT_NOFILE, &few, nullptr), 0);
  const auto report = sandbox_.run(text("abc"), {});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code(), ErrorCode::kFailed);
  EXPECT_NE(report.error().message().find("open files"), std::string::npos)
      << report.error().message();
  ASSERT_EQ(prlimit(sandbox_.server_pid(), RLIMIT_NOFILE, &before, nullptr), 0);
  expect_still_works();
}

TEST_F(SandboxTest, MemoryHog_IsStoppedAtItsLimit) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer needs an unlimited address space";
#endif
  const SandboxReport report = run("hog", {.memory_bytes = 256 << 20});
  EXPECT_EQ(report.end, SandboxEnd::kOutOfMemory) << report.detail;
  EXPECT_NE(report.detail.find("256 MiB"), std::string::npos) << report.detail;
  expect_still_works();
}

TEST_F(SandboxTest, Children_AreAllReaped) {
  for (const char* how : {"abc", "crash", "exit", "throw", "abc"}) run(how);
  run("hang", {.wall_ms = 50});
  EXPECT_TRUE(children_of(sandbox_.server_pid()).empty());
  run("abc");
  EXPECT_EQ(children_of(sandbox_.server_pid()).size(), 1U);
}

TEST_F(SandboxTest, GrandchildHoldingThePipes_EndsWithTheChild) {
  const SandboxReport report = run("leave a child");
  ASSERT_EQ(report.end, SandboxEnd::kReturned) << report.detail;
  expect_still_works();
  EXPECT_EQ(run("crash").end, SandboxEnd::kCrashed);
  const int grandchild = std::stoi(std::string(report.bytes.begin(), report.bytes.end()));
  EXPECT_TRUE(gone_within(grandchild, std::chrono::seconds(3)));
  expect_still_works();
}

TEST_F(SandboxTest, LostServer_IsAnErrorAndNotAHang) {
  kill(sandbox_.server_pid(), SIGKILL);
  const auto report = sandbox_.run(text("abc"), {});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code(), ErrorCode::kDeviceLost);
}

TEST(Sandbox, ServerAndChild_DieWithTheirParent) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t parent = fork();
  if (parent == 0) {
    auto sandbox = Sandbox::start(misbehave);
    const pid_t server = sandbox->server_pid();
    std::thread([server, fd = ends[1]] {
      pid_t both[2] = {server, 0};
      const std::string task = "/proc/" + std::to_string(server) + "/task/";
      while (both[1] == 0) std::ifstream(task + std::to_string(server) + "/children") >> both[1];
      if (write(fd, both, sizeof both) < 0) _exit(1);
    }).detach();
    (void)sandbox->run(text("hang"), {});
    _exit(1);
  }
  close(ends[1]);
  pid_t both[2] = {0, 0};
  ASSERT_EQ(read(ends[0], both, sizeof both), static_cast<ssize_t>(sizeof both));
  const auto [server, child] = both;
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  EXPECT_TRUE(gone_within(server, std::chrono::seconds(3)));
  EXPECT_TRUE(gone_within(child, std::chrono::seconds(3)));
  close(ends[0]);
}

TEST(Sandbox, HostThatIgnoresSigchld_StillLearnsWhatACandidateDied) {
  struct sigaction ignore {
  }, before{};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGCHLD, &ignore, &before);
  {
    auto sandbox = Sandbox::start(misbehave).value();
    const auto report = sandbox.run(text("abort"), {});
    ASSERT_TRUE(report);
    EXPECT_EQ(report->end, SandboxEnd::kCrashed);
    EXPECT_NE(report->detail.find("signal"), std::string::npos) << report->detail;
  }
  sigaction(SIGCHLD, &before, nullptr);
}

TEST(Sandbox, TwoSandboxes_EndIndependently) {
  auto first = std::make_unique<Sandbox>(Sandbox::start(misbehave).value());
  auto second = Sandbox::start(misbehave).value();
  const pid_t server = first->server_pid();
  first.reset();  // hangs if the second server holds the first one's socket
  EXPECT_TRUE(gone_within(server, std::chrono::seconds(3)));
  EXPECT_EQ(second.run(text("ab"), {})->bytes, text("ba"));
}

// A linker that writes to a mapped file is killed when the disk is full.
TEST_F(SandboxTest, DirectoryOfACallThatDied_IsRemoved) {
  EXPECT_EQ(run("abort with a directory").end, SandboxEnd::kCrashed);
  for (const auto& entry : std::filesystem::directory_iterator(temporary_folder()))
    EXPECT_FALSE(entry.path().filename().string().starts_with("tinytune.doomed.")) << entry.path();
}

}  // namespace
}  // namespace tinytune
