// Signals that ask the program to end: Ctrl-C (SIGINT), `timeout` and `kill` (SIGTERM), and a
// closed terminal (SIGHUP, unless it is ignored because of nohup).
//
// A thread waits for them, so that no work is done in a signal handler and no system call is
// interrupted. A command that has results to report is asked to end by a flag and has ten seconds;
// a second signal (`timeout` sends two) reduces that to two more, a third to none. Any other
// command, and one that takes longer, is ended here: with a message, without leaving children or
// temporary directories behind.
#pragma once

#include <atomic>
#include <string>

#include "cli/console.h"

namespace tinytune {

class Interrupts {
 public:
  struct Command {
    bool finishes = false;  ///< it polls cancel() and ends by itself
    std::string last_line;  ///< message if it is ended here
  };

  /// Starts to listen. To be called once, before any other thread is created, because threads
  /// inherit the mask that blocks these signals.
  Interrupts(Console console, Command command);

  /// Becomes true with the first signal.
  const std::atomic<bool>* cancel() const;

  /// To be called when the command has ended by itself: signals are ignored from then on.
  void finished() const;
};

}  // namespace tinytune
