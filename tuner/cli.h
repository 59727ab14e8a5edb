// The command line of `tune`: options in, an exit code out.
#pragma once

#include <atomic>

namespace tinytune {

struct Interrupts {
  const std::atomic<bool>* cancel;  ///< becomes true when the user interrupts
  /// Called by the one command that has something to finish then; all others just end.
  void (*listen)();
};

int run_cli(int argc, const char* const* argv, const Interrupts& interrupts);

}  // namespace tinytune
