// Processes of a test: started without a shell, watched through /proc, never left behind.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

extern char** environ;

namespace tinytune {

inline bool within(std::chrono::milliseconds time, const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + time;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

/// Whether a process has ended; true for a zombie too, which runs nothing any more.
inline bool is_gone(int64_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  return !std::getline(stat, line) || line[line.rfind(')') + 2] == 'Z';
}

inline std::vector<pid_t> children_of(int64_t pid) {
  std::vector<pid_t> children;
  const std::string text = std::to_string(pid);
  std::ifstream list("/proc/" + text + "/task/" + text + "/children");
  for (pid_t child; list >> child;) children.push_back(child);
  return children;
}

class TestProcess {
 public:
  explicit TestProcess(const std::vector<std::string>& argv) {
    int out[2];
    if (::pipe2(out, O_CLOEXEC) != 0) return;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    posix_spawn_file_actions_adddup2(&actions, out[1], 2);
    std::vector<char*> words;
    for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    if (::posix_spawn(&pid_, words[0], &actions, nullptr, words.data(), environ) != 0) pid_ = -1;
    posix_spawn_file_actions_destroy(&actions);
    ::close(out[1]);
    out_ = out[0];
  }
  ~TestProcess() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    ::close(out_);
  }
  pid_t pid() const { return pid_; }
  /// Returns its next line of output, on either stream; at the end, what is left.
  std::string read_line() {
    std::string line;
    char c = 0;
    while (::read(out_, &c, 1) == 1 && c != '\n') line += c;
    return line;
  }
  /// Waits for its end; -1 if it does not end in time.
  int exit_code(std::chrono::milliseconds time) {
    int status = 0;
    if (!within(time, [&] { return ::waitpid(pid_, &status, WNOHANG) == pid_; })) return -1;
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  void kill() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

 private:
  pid_t pid_ = -1;
  int out_ = -1;
};

}  // namespace tinytune
