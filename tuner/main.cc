// The `tune` program.

#include <atomic>
#include <csignal>

#include "tuner/cli.h"

namespace {

std::atomic<bool> cancelled{false};
static_assert(std::atomic<bool>::is_always_lock_free, "set from a signal handler");

void on_interrupt(int signal) {
  cancelled = true;
  std::signal(signal, SIG_DFL);  // a second Ctrl-C ends the program at once; the log is safe
}

void listen_for_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  return tinytune::run_cli(argc, argv, {&cancelled, listen_for_interrupts});
}
