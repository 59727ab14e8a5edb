#include "base/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

extern char** environ;

namespace tinytune {
namespace {

class Pipe {
 public:
  static Result<Pipe> open() {
    Pipe p;
    if (::pipe2(p.ends_, O_CLOEXEC) != 0)
      return Error(ErrorCode::kFailed, std::string("pipe: ") + std::strerror(errno));
    return p;
  }
  Pipe(Pipe&& other) noexcept { std::swap(ends_, other.ends_); }
  ~Pipe() { close_end(0), close_end(1); }
  int read_end() const { return ends_[0]; }
  int write_end() const { return ends_[1]; }
  void close_end(int i) {
    if (ends_[i] >= 0) ::close(ends_[i]);
    ends_[i] = -1;
  }

 private:
  Pipe() = default;
  int ends_[2] = {-1, -1};
};

}  // namespace

Result<ProcessResult> run_process(const std::vector<std::string>& argv,
                                  std::chrono::milliseconds timeout) {
  TT_TRY_ASSIGN(Pipe out, Pipe::open());
  TT_TRY_ASSIGN(Pipe err, Pipe::open());

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.write_end(), 1);
  posix_spawn_file_actions_adddup2(&actions, err.write_end(), 2);
  std::vector<char*> args;
  for (const std::string& a : argv) args.push_back(const_cast<char*>(a.c_str()));
  args.push_back(nullptr);
  pid_t pid = 0;
  const int spawned = ::posix_spawnp(&pid, args[0], &actions, nullptr, args.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (spawned != 0)
    return Error(spawned == ENOENT ? ErrorCode::kNotFound : ErrorCode::kFailed,
                 argv[0] + ": " + std::strerror(spawned));
  out.close_end(1);
  err.close_end(1);

  ProcessResult result;
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  pollfd fds[2] = {{out.read_end(), POLLIN, 0}, {err.read_end(), POLLIN, 0}};
  bool timed_out = false;
  while (fds[0].fd >= 0 || fds[1].fd >= 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) {
      timed_out = true;
      break;
    }
    if (::poll(fds, 2, static_cast<int>(left.count())) < 0 && errno != EINTR) break;
    for (int i = 0; i < 2; ++i) {
      if (fds[i].fd < 0 || fds[i].revents == 0) continue;
      char buffer[4096];
      const ssize_t n = ::read(fds[i].fd, buffer, sizeof buffer);
      if (n > 0)
        (i == 0 ? result.out : result.err).append(buffer, static_cast<size_t>(n));
      else if (n == 0 || errno != EINTR)
        fds[i].fd = -1;
    }
  }
  // Both streams closed says nothing about the program: it may have closed them and work on.
  int status = 0;
  while (!timed_out && ::waitpid(pid, &status, WNOHANG) == 0) {
    timed_out = std::chrono::steady_clock::now() >= deadline;
    ::poll(nullptr, 0, 1);
  }
  if (timed_out) {
    ::kill(pid, SIGKILL);
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
  }
  if (timed_out)
    return Error(ErrorCode::kFailed,
                 argv[0] + ": still running after " + std::to_string(timeout.count()) + " ms");
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace tinytune
