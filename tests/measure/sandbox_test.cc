#include "measure/sandbox.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <stdexcept>
#include <thread>

namespace tinytune {
namespace {

using Clock = std::chrono::steady_clock;
using Bytes = std::vector<uint8_t>;

Bytes text(const std::string& words) { return {words.begin(), words.end()}; }

volatile int* volatile nowhere = nullptr;

Bytes misbehave(std::span<const uint8_t> request) {
  const std::string what(request.begin(), request.end());
  if (what == "crash") *nowhere = 1;
  if (what == "abort") {
    fprintf(stderr, "first words\nlast words\n");
    abort();
  }
  if (what == "exit") _exit(3);
  if (what == "throw") throw std::runtime_error("refused to work");
  if (what == "hang")
    while (true) pause();
  if (what == "spin")
    while (true) asm volatile("");
  if (what == "hang with closed files") {
    for (int fd = 0; fd < 64; ++fd) close(fd);
    while (true) pause();
  }
  if (what == "leave a child") {
    if (fork() == 0)
      while (true) pause();
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
  if (what == "nothing") return {};
  Bytes reversed(request.rbegin(), request.rend());
  return reversed;
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
#ifndef __SANITIZE_ADDRESS__  // whose handler exits instead
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

TEST_F(SandboxTest, Hang_IsEndedInTime) {
  for (const char* how : {"hang", "spin"}) {
    const auto start = Clock::now();
    EXPECT_EQ(run(how, {.timeout_ms = 200}).end, SandboxEnd::kTimeout) << how;
    EXPECT_LT(Clock::now() - start, std::chrono::seconds(5));
  }
  expect_still_works();
}

TEST_F(SandboxTest, HangWithClosedFiles_IsEndedToo) {
  const auto start = Clock::now();
  EXPECT_EQ(run("hang with closed files", {.timeout_ms = 2000}).end, SandboxEnd::kCrashed);
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(5));
  expect_still_works();
}

TEST_F(SandboxTest, MemoryHog_IsStoppedAtItsLimit) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer needs an unlimited address space";
#endif
  const SandboxReport report = run("hog", {.timeout_ms = 20'000, .memory_bytes = 256 << 20});
  EXPECT_EQ(report.end, SandboxEnd::kOutOfMemory) << report.detail;
  EXPECT_NE(report.detail.find("256 MiB"), std::string::npos) << report.detail;
  expect_still_works();
}

// Children of `parent`, zombies included.
int children_of(pid_t parent) {
  std::ifstream list("/proc/" + std::to_string(parent) + "/task/" + std::to_string(parent) +
                     "/children");
  int count = 0;
  for (pid_t pid; list >> pid;) ++count;
  return count;
}

TEST_F(SandboxTest, Children_AreAllReaped) {
  for (const char* how : {"abc", "crash", "exit", "throw", "abc"}) run(how);
  run("hang", {.timeout_ms = 50});
  EXPECT_EQ(children_of(sandbox_.server_pid()), 0);
}

TEST_F(SandboxTest, GrandchildHoldingThePipes_EndsWithTheChild) {
  EXPECT_EQ(run("leave a child", {.timeout_ms = 300}).end, SandboxEnd::kTimeout);
  expect_still_works();
}

TEST_F(SandboxTest, LostServer_IsAnErrorAndNotAHang) {
  kill(sandbox_.server_pid(), SIGKILL);
  const auto report = sandbox_.run(text("abc"), {});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code(), ErrorCode::kDeviceLost);
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

TEST(Sandbox, TwoSandboxes_EndIndependently) {
  auto first = std::make_unique<Sandbox>(Sandbox::start(misbehave).value());
  auto second = Sandbox::start(misbehave).value();
  const pid_t server = first->server_pid();
  first.reset();  // would wait for ever if the second server held the first one's socket
  EXPECT_TRUE(gone_within(server, std::chrono::seconds(3)));
  EXPECT_EQ(second.run(text("ab"), {})->bytes, text("ba"));
}

}  // namespace
}  // namespace tinytune
