#include "rpc_device/fleet/local_workers.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include "base/child.h"

namespace tinytune {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kLookAround{50};
constexpr milliseconds kGrace{500};
constexpr int kWrongInput = 2;  // the program's exit code for what no second attempt can mend

// Between fork and exec of a process with threads: system calls only, nothing that allocates.
[[noreturn]] void become(char* const* argv, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(0);
  ::setpgid(0, 0);  // Ctrl-C is for us; workers end when we do
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (int signal : {SIGINT, SIGTERM, SIGPIPE, SIGHUP, SIGCHLD}) ::signal(signal, SIG_DFL);
  const int nothing = ::open("/dev/null", O_RDONLY);
  if (nothing >= 0) ::dup2(nothing, STDIN_FILENO);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);  // our stdout carries results
  ::close_range(3, ~0U, 0);
  ::execv(argv[0], argv);
  ::_exit(kWrongInput);
}

std::string describe(const ChildEnd& end) {
  if (!end.known) return "nobody knows how";
  return WIFSIGNALED(end.status) ? std::string("signal ") + strsignal(WTERMSIG(end.status))
                                 : "exit code " + std::to_string(WEXITSTATUS(end.status));
}

}  // namespace

LocalWorkers::LocalWorkers(Options options, LogSink log)
    : options_(std::move(options)),
      log_(std::move(log)),
      slots_(slots_of(options_.commands)),
      supervisor_([this] { supervise(); }) {}

std::vector<LocalWorkers::Slot> LocalWorkers::slots_of(
    const std::vector<std::vector<std::string>>& commands) {
  std::vector<Slot> slots(commands.size());
  for (size_t i = 0; i < slots.size(); ++i) slots[i].command = commands[i];
  return slots;
}

LocalWorkers::~LocalWorkers() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  supervisor_.join();
}

void LocalWorkers::alive(int64_t process) {
  const std::lock_guard lock(mutex_);
  for (Slot& slot : slots_)
    if (slot.pid == process) slot.deaths = 0;
}

bool LocalWorkers::owns(int64_t process) const {
  const std::lock_guard lock(mutex_);
  return std::any_of(slots_.begin(), slots_.end(),
                     [&](const Slot& slot) { return slot.pid == process; });
}

void LocalWorkers::kill(int64_t process) {
  const std::lock_guard lock(mutex_);
  for (const Slot& slot : slots_)
    if (slot.pid == process && slot.pid > 0) ::kill(slot.pid, SIGKILL);
}

std::string LocalWorkers::given_up() const {
  const std::lock_guard lock(mutex_);
  const bool all =
      std::all_of(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.given_up; });
  return all ? last_death_ : "";
}

void LocalWorkers::supervise() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    for (Slot& slot : slots_) {
      if (slot.pid > 0) reap(slot);
      if (slot.pid < 0 && !slot.given_up && Clock::now() >= slot.next_start) start(slot);
    }
    changed_.wait_for(lock, kLookAround, [this] { return stopping_; });
  }
  const auto deadline = Clock::now() + kGrace;
  for (Slot& slot : slots_) {
    while (slot.pid > 0 && !poll_child(slot.pid)) {
      if (Clock::now() >= deadline) ::kill(slot.pid, SIGKILL);
      std::this_thread::sleep_for(milliseconds(5));
    }
    slot.pid = -1;
  }
}

void LocalWorkers::reap(Slot& slot) {
  const std::optional<ChildEnd> end = poll_child(slot.pid);
  if (!end) return;
  last_death_ = "worker " + std::to_string(slot.pid) + " ended: " + describe(*end);
  slot.pid = -1;
  ++slot.deaths;
  const bool hopeless =
      end->known && WIFEXITED(end->status) && WEXITSTATUS(end->status) == kWrongInput;
  slot.given_up = hopeless || slot.deaths > options_.restarts;
  slot.next_start = Clock::now() + milliseconds(50) * (slot.deaths - 1);
  log_(LogLevel::kWarning,
       last_death_ + (slot.given_up ? "; giving up on it" : "; starting another"));
}

void LocalWorkers::start(Slot& slot) {
  std::vector<char*> argv;
  for (const std::string& word : slot.command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid == 0) become(argv.data(), parent);
  if (pid > 0) {
    slot.pid = pid;
    return;
  }
  last_death_ = std::string("cannot start a worker: ") + std::strerror(errno);
  ++slot.deaths;
  slot.given_up = slot.deaths > options_.restarts;
  slot.next_start = Clock::now() + milliseconds(200);
}

}  // namespace tinytune
