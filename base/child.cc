#include "base/child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace tinytune {
namespace {

/// Report over the pipe; only the first one counts.
struct Message {
  enum Kind : int { kNotStarted, kEnded } kind;
  int value;  ///< errno, or a wait status
};

void say(int pipe, Message::Kind kind, int value) {
  const Message message{kind, value};
  [[maybe_unused]] const ssize_t told = ::write(pipe, &message, sizeof message);
}

/// The code below runs after a fork in a process with threads: system calls only, no allocation.
constexpr int kPipe = 3;

[[noreturn]] void become_program(char* const* argv, pid_t keeper) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != keeper) ::_exit(127);
  ::signal(SIGPIPE, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execvp(argv[0], argv);
  say(kPipe, Message::kNotStarted, errno);
  ::_exit(127);
}

[[noreturn]] void keep(char* const* argv, pid_t parent, int in, int out, int err, int pipe) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(0);
  // First move all of them above 15: in a host without standard streams, descriptors 0 to 2 may be
  // any of these.
  if (in >= 0) in = ::fcntl(in, F_DUPFD, 16);
  out = ::fcntl(out, F_DUPFD, 16);
  err = ::fcntl(err, F_DUPFD, 16);
  pipe = ::fcntl(pipe, F_DUPFD, 16);
  if (in < 0) in = ::open("/dev/null", O_RDONLY);
  if (in >= 0) ::dup2(in, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  ::dup3(pipe, kPipe, O_CLOEXEC);
  ::close_range(kPipe + 1, ~0U, 0);
  ::signal(SIGCHLD, SIG_DFL);
  const pid_t keeper = ::getpid();
  const pid_t program = ::_Fork();
  if (program == 0) become_program(argv, keeper);
  if (program < 0) {
    say(kPipe, Message::kNotStarted, errno);
    ::_exit(1);
  }
  ::close_range(STDIN_FILENO, STDERR_FILENO, 0);  // so that readers see the program's end of file
  int status = 0;
  while (::waitpid(program, &status, 0) < 0 && errno == EINTR) {
  }
  say(kPipe, Message::kEnded, status);
  ::_exit(0);
}

/// Forks a process that sends no signal when it ends. Neither the disposition of SIGCHLD nor a wait
/// for any child affects it; only a wait for its number with __WALL does.
pid_t fork_unannounced() { return static_cast<pid_t>(::syscall(SYS_clone, 0, 0, 0, 0, 0)); }

}  // namespace

std::optional<ChildEnd> poll_child(pid_t pid) {
  ChildEnd end;
  const pid_t got = ::waitpid(pid, &end.status, WNOHANG);
  if (got == 0 || (got < 0 && errno == EINTR)) return std::nullopt;
  end.known = got == pid;
  return end;
}

Result<Child> Child::start(const std::vector<std::string>& argv, int out, int err, int in) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return Error(ErrorCode::kFailed, argv[0] + ": pipe: " + std::strerror(errno));
  Descriptor report(ends[0]), told(ends[1]);
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);

  // A host's handler must not run in the keeper.
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t parent = ::getpid();
  const pid_t keeper = fork_unannounced();
  if (keeper == 0) keep(words.data(), parent, in, out, err, told.get());
  const int why = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (keeper < 0) return Error(ErrorCode::kFailed, argv[0] + ": fork: " + std::strerror(why));
  return Child(keeper, std::move(report));
}

Child::~Child() {
  if (report_.get() < 0) return;
  ::kill(keeper_, SIGKILL);  // also kills the program (PR_SET_PDEATHSIG)
  while (::waitpid(keeper_, nullptr, __WALL) < 0 && errno == EINTR) {
  }
}

Result<ChildEnd> Child::wait() {
  Message message{};
  if (!read_fully(report_.get(), &message, sizeof message))
    return Error(ErrorCode::kFailed, "something killed the process that waits for it");
  if (message.kind == Message::kEnded) return ChildEnd{message.value, true};
  return Error(message.value == ENOENT ? ErrorCode::kNotFound : ErrorCode::kFailed,
               std::strerror(message.value));
}

}  // namespace tinytune
