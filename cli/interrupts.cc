#include "cli/interrupts.h"

#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>
#include <utility>

#include "base/temporary_directory.h"

namespace tinytune {
namespace {

// Measured by the kernel, because the program's own clock may stand still or run backwards.
constexpr timespec kMostFinishing{10, 0};  // after the first signal
constexpr timespec kPatience{2, 0};        // after the second signal
constexpr useconds_t kDying = 100'000;     // for killed children to release their directories

std::atomic<bool> cancelled{false};
std::atomic<bool> ended{false};  // set by the command or the listener, whichever ends first

sigset_t asking_signals() {
  sigset_t set;
  sigemptyset(&set);
  // Included even if ignored: shells start background jobs with SIGINT ignored, but a SIGINT sent
  // explicitly still asks the program to end.
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  struct sigaction now {};
  sigaction(SIGHUP, nullptr, &now);
  if (now.sa_handler != SIG_IGN) sigaddset(&set, SIGHUP);
  return set;
}

/// Kills workers and keepers (base/child.h); their own children end with them.
void kill_children() {
  std::error_code unreadable;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task", unreadable)) {
    std::ifstream children(thread.path() / "children");
    for (pid_t child = 0; children >> child;) ::kill(child, SIGKILL);
  }
}

[[noreturn]] void end_now(const Console& console, const std::string& last_line) {
  if (ended.exchange(true))
    while (true) ::pause();  // the program is returning
  kill_children();
  end_temporary_directories();
  ::usleep(kDying);
  sweep_temporary_directories();
  ::_exit(console.fail(kExitInterrupted, last_line));
}

void listen(const sigset_t& signals, const Console& console, const Interrupts::Command& command) {
  int signal = 0;
  ::sigwait(&signals, &signal);
  cancelled = true;
  if (command.finishes && ::sigtimedwait(&signals, nullptr, &kMostFinishing) > 0)
    ::sigtimedwait(&signals, nullptr, &kPatience);  // a third signal ends the wait
  end_now(console, command.last_line);
}

}  // namespace

Interrupts::Interrupts(Console console, Command command) {
  for (const int signal : {SIGINT, SIGTERM}) ::signal(signal, SIG_DFL);
  const sigset_t signals = asking_signals();
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread([signals, console, command = std::move(command)] {
    listen(signals, console, command);
  }).detach();
}

const std::atomic<bool>* Interrupts::cancel() const { return &cancelled; }

void Interrupts::finished() const {
  if (!ended.exchange(true)) return;
  while (true) ::pause();  // the listener ends the program
}

}  // namespace tinytune
