// Boards that cannot be reached, or get lost during a run and do or do not return: QEMU's virt
// machine behind its GDB server, whose counter counts instructions, so that equal runs give equal
// logs.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <sys/socket.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/descriptor.h"
#include "base/subprocess.h"
#include "tests/cli/tune_program.h"
#include "tests/rpc_device/boards/qemu.h"
#include "tests/tuner/small_model.h"

namespace tinytune::test {
namespace {

using testing::HasSubstr;

constexpr size_t kTrials = 20;

class LostBoard : public TuneProgram {
 protected:
  static std::vector<std::string> run_on(const std::string& board, const std::string& log,
                                         const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {
        "op",      "dense 32->4", "--device",  board, "--trials",  std::to_string(kTrials),
        "--tuner", "random",      "--workers", "1",   "--records", log};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  /// Waits until the log has `count` lines.
  bool wait_for_records(const std::string& log, size_t count) const {
    for (int i = 0; i < 10'000; ++i) {
      std::ifstream file(path(log));
      size_t lines = 0;
      for (std::string line; std::getline(file, line);) ++lines;
      if (lines >= count) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }
};

TEST_F(LostBoard, ThatComesBack_ResumesTheRunWithTheLogOfAnUndisturbedOne) {
  START_QEMU_OR_SKIP(qemu, riscv_virt());
  const ProcessResult undisturbed = tune(run_on(qemu->address(), "undisturbed"));
  ASSERT_EQ(undisturbed.exit_code, 0);
  EXPECT_THAT(undisturbed.out, HasSubstr(" cycles, instructions not counted"));

  RunningTune run(folder_, run_on(qemu->address(), "disturbed"), false);
  ASSERT_TRUE(wait_for_records("disturbed", 3)) << run.output();
  qemu->stop();
  ASSERT_TRUE(run.wait_for("for it to come back")) << run.output();
  EXPECT_THAT(run.output(), HasSubstr("waiting until "));
  EXPECT_THAT(run.output(), HasSubstr(qemu->place()));
  ASSERT_TRUE(qemu->start_again());
  EXPECT_EQ(run.wait(), 0) << run.output();
  EXPECT_THAT(run.output(), HasSubstr("is back"));
  EXPECT_EQ(trials("disturbed"), trials("undisturbed"));
}

TEST_F(LostBoard, ThatStaysAway_EndsTheRunWithItsRecordsAndTheNextRunGoesOn) {
  START_QEMU_OR_SKIP(qemu, riscv_virt());
  ASSERT_EQ(tune(run_on(qemu->address(), "undisturbed")).exit_code, 0);

  RunningTune run(folder_, run_on(qemu->address(), "lost", {"--board-patience", "1s"}), false);
  ASSERT_TRUE(wait_for_records("lost", 3)) << run.output();
  qemu->stop();
  EXPECT_EQ(run.wait(), 1) << run.output();
  EXPECT_THAT(run.output(), HasSubstr("tune: no worker can run: board " + qemu->address()));
  EXPECT_THAT(run.output(), HasSubstr("new measurements are in lost"));
  const auto undisturbed = trials("undisturbed"), kept = trials("lost");
  ASSERT_GE(kept.size(), 3u);
  ASSERT_LT(kept.size(), kTrials);
  EXPECT_TRUE(std::equal(kept.begin(), kept.end(), undisturbed.begin()));

  ASSERT_TRUE(qemu->start_again());
  const ProcessResult resumed = tune(run_on(qemu->address(), "lost"));
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_EQ(trials("lost"), undisturbed);
}

/// Accepts connections to a port of this machine, and closes each.
class ClosingServer {
 public:
  ClosingServer() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(socket_.get(), 8), 0);
    ::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&address), &size);
    place_ = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
    thread_ = std::thread([fd = socket_.get()] {
      for (int one; (one = ::accept(fd, nullptr, nullptr)) >= 0;) ::close(one);
    });
  }
  ~ClosingServer() {
    ::shutdown(socket_.get(), SHUT_RDWR);
    thread_.join();
  }
  const std::string& place() const { return place_; }

 private:
  Descriptor socket_;
  std::string place_;
  std::thread thread_;
};

TEST_F(LostBoard, ThatIsAbsent_IsOneLineThatSaysWhatWhereAndWhatToDo) {
  const ClosingServer server;
  const struct {
    std::string board, why, advice;
  } cases[] = {
      {"esp32c3@gdb:localhost:4", "nobody answers at localhost:4", "start the board's GDB server"},
      {"esp32c3@gdb:" + server.place(), server.place(), "start the board's GDB server"},
      {"esp32c3@gdb:nowhere.invalid:4", "the host 'nowhere.invalid' cannot be found", "GDB server"},
      {"esp32c3@serial:/dev/ttyNOPE", "/dev/ttyNOPE: No such file", "plug in the board"},
  };
  for (const auto& [board, why, advice] : cases) {
    const ProcessResult run = tune(run_on(board, "absent"));
    EXPECT_EQ(run.exit_code, 1) << board;
    EXPECT_THAT(run.err, HasSubstr("no worker can run: board " + board));
    EXPECT_THAT(run.err, HasSubstr(why));
    EXPECT_THAT(run.err, HasSubstr(advice));
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  }
}

TEST_F(LostBoard, ThatIsAbsent_EndsEveryCommandThatNeedsIt) {
  std::ofstream(path("night.toml")) << "models = ['small.tflite']\ntrials = 4\n"
                                       "devices = ['esp32c3@gdb:localhost:4']\n"
                                       "directory = 'night'\n";
  const std::string board = "esp32c3@gdb:localhost:4";
  const std::vector<std::vector<std::string>> commands = {
      {"--model", "small.tflite", "--device", board},
      {"run", "--model", "small.tflite", "--device", "esp32c3", "--on", board},
      {"worker", "--connect", "unix:nobody", "--device", board},
      {"batch", "night.toml"},
      {"doctor", "--device", board}};
  for (const auto& command : commands) {
    const ProcessResult run = tune(command);
    EXPECT_EQ(run.exit_code, 1) << command.front() << ": " << run.err;
    EXPECT_THAT(run.out + run.err, HasSubstr("nobody answers at localhost:4")) << command.front();
  }
}

// Runs in its own namespace, where no privilege is needed to mount.
TEST_F(LostBoard, ThatIsAProgramWhereNoneMayRun_IsOneLineWithWhatToDo) {
  std::filesystem::create_directory(path("noexec"));
  const auto mounted = [&](const std::string& then) {
    return run_process(
        {"unshare", "-rm", "sh", "-c",
         "cd " + folder_.string() + " && mount -t tmpfs -o noexec,size=64m none noexec && " + then},
        std::chrono::seconds(100));
  };
  const auto possible = mounted("true");
  if (!possible || possible->exit_code != 0) GTEST_SKIP() << "no file system can be mounted here";
  const auto run = mounted("TMPDIR=" + path("noexec") +
                           " " TINYTUNE_BINARY_DIR
                           "/tune op 'dense 16->4' --device host --trials 2 --workers 1");
  ASSERT_TRUE(run);
  EXPECT_EQ(run->exit_code, 1);
  EXPECT_THAT(run->err, HasSubstr("set TMPDIR to a folder where programs may run"));
  EXPECT_EQ(std::count(run->err.begin(), run->err.end(), '\n'), 1) << run->err;
}

TEST_F(LostBoard, OfAWorkerThatStays_IsWaitedForAsLongAsTold) {
  START_QEMU_OR_SKIP(qemu, riscv_virt());
  const std::string socket = "unix:" + path("tuner");
  RunningTune worker(
      folder_,
      {"worker", "--connect", socket, "--device", qemu->address(), "--board-patience", "1s"},
      false);
  RunningTune run(folder_,
                  {"--model", "small.tflite", "--device", qemu->address(), "--tasks", "0",
                   "--trials", std::to_string(kTrials), "--tuner", "random", "--workers", "0",
                   "--listen", socket, "--records", "log"},
                  false);
  ASSERT_TRUE(wait_for_records("log", 3)) << run.output();
  qemu->stop();
  EXPECT_EQ(worker.wait(), 1) << worker.output();
  EXPECT_THAT(worker.output(), HasSubstr("waiting for the board"));
  // The run has no local worker: it waits for a remote one, and says so.
  ASSERT_TRUE(run.wait_for("jobs wait for a worker: tune worker --connect " + socket))
      << run.output();
  ASSERT_TRUE(qemu->start_again());
  RunningTune next(folder_, {"worker", "--connect", socket, "--device", qemu->address(), "--once"},
                   false);
  EXPECT_EQ(run.wait(), 0) << run.output();
  EXPECT_EQ(trials("log").size(), kTrials);
}

}  // namespace
}  // namespace tinytune::test
