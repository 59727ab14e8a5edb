#include "tests/cli/tune_program.h"

#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "tests/tuner/small_model.h"

namespace tinytune::test {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kPatience{300};

std::vector<std::string> command(const fs::path& folder, std::vector<std::string> arguments) {
  // A killed run cannot remove its sockets: they go with the test's folder.
  std::vector<std::string> words = {"env", "-C", folder.string(), "TMPDIR=" + folder.string(),
                                    TINYTUNE_BINARY_DIR "/tune"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

}  // namespace

void TuneProgram::SetUp() {
  std::string pattern = (fs::temp_directory_path() / "tinytune-program-XXXXXX").string();
  ASSERT_NE(mkdtemp(pattern.data()), nullptr);
  folder_ = pattern;
  write_model(small_graph(), path("small.tflite"));
}

void TuneProgram::TearDown() { fs::remove_all(folder_); }

int reasons_in(const std::string& err) {
  int reasons = 0;
  std::istringstream lines(err);
  for (std::string line; std::getline(lines, line);) reasons += line.starts_with("tune: ") ? 1 : 0;
  return reasons;
}

ProcessResult TuneProgram::tune(std::vector<std::string> arguments) const {
  const auto result = run_process(command(folder_, std::move(arguments)), kPatience);
  EXPECT_TRUE(result) << result.error().message();
  return result ? *result : ProcessResult{-1, "", ""};
}

std::string TuneProgram::json_of(const std::vector<std::string>& arguments, int exit_code) const {
  const ProcessResult result = tune(arguments);
  EXPECT_EQ(result.exit_code, exit_code) << result.err;
  EXPECT_TRUE(nlohmann::json::parse(result.out, nullptr, false).is_object()) << result.out;
  return result.out;
}

std::vector<std::string> TuneProgram::with_model(std::vector<std::string> arguments) const {
  for (const char* word : {"--model", "small.tflite", "--device", "esp32c3"})
    arguments.emplace_back(word);
  return arguments;
}

std::vector<std::string> TuneProgram::trials(const std::string& log_name) const {
  const auto log = read_log(path(log_name));
  EXPECT_TRUE(log) << log.error().message();
  std::vector<std::string> lines;
  if (!log) return lines;
  for (const Measurement& m : log->measurements)
    lines.push_back(m.workload.str() + " | " + m.schedule.str() + " | " +
                    std::string(name_of(m.outcome)) +
                    (m.cycles.empty() ? "" : " " + std::to_string(m.cycles[0])));
  return lines;
}

RunningTune::RunningTune(const fs::path& folder, const std::vector<std::string>& arguments,
                         bool terminal) {
  const std::vector<std::string> words = command(folder, arguments);
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  int pipe_ends[2] = {-1, -1};
  if (!terminal) {
    EXPECT_EQ(pipe(pipe_ends), 0);
  }
  pid_ = terminal ? forkpty(&output_, nullptr, nullptr, nullptr) : fork();
  if (pid_ == 0) {
    if (!terminal) {
      dup2(pipe_ends[1], STDOUT_FILENO);
      dup2(pipe_ends[1], STDERR_FILENO);
      close(pipe_ends[0]);
      close(pipe_ends[1]);
    }
    execvp(argv[0], argv.data());
    _exit(127);
  }
  EXPECT_GT(pid_, 0);
  if (!terminal) {
    close(pipe_ends[1]);
    output_ = pipe_ends[0];
  }
}

RunningTune::~RunningTune() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  close(output_);
}

void RunningTune::send(int signal) const { kill(pid_, signal); }

void RunningTune::press_control_c() const { EXPECT_EQ(write(output_, "\x03", 1), 1); }

void RunningTune::drain(std::chrono::milliseconds timeout) {
  pollfd ready{output_, POLLIN, 0};
  char bytes[4096];
  while (poll(&ready, 1, static_cast<int>(timeout.count())) > 0) {
    const ssize_t got = read(output_, bytes, sizeof bytes);
    if (got <= 0) {  // after its last program a terminal reports an error
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      return;
    }
    text_.append(bytes, static_cast<size_t>(got));
    timeout = std::chrono::milliseconds(0);
  }
}

const std::string& RunningTune::output() {
  drain(std::chrono::milliseconds(0));
  return text_;
}

bool RunningTune::wait_for(const std::string& text) {
  const auto deadline = Clock::now() + kPatience;
  while (text_.find(text) == std::string::npos) {
    if (Clock::now() > deadline) return false;
    drain(std::chrono::milliseconds(50));
  }
  return true;
}

int RunningTune::wait() {
  const auto deadline = Clock::now() + kPatience;
  int status = 0;
  while (waitpid(pid_, &status, WNOHANG) == 0) {
    drain(std::chrono::milliseconds(20));
    if (Clock::now() < deadline) continue;
    ADD_FAILURE() << "still running; so far: " << text_;
    kill(pid_, SIGKILL);
  }
  pid_ = -1;
  drain(std::chrono::milliseconds(0));
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace tinytune::test
