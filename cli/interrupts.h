// Signals that ask the program to end: Ctrl-C (SIGINT), `timeout` and `kill` (SIGTERM), and a
// terminal that is gone (SIGHUP, unless nohup had it ignored).
//
// A thread waits for them, so that nothing has to be done inside a signal handler and no system
// call is cut short. A command that has something to finish is asked to, by a flag, and has ten
// seconds; a second signal (`timeout` sends two) leaves it two, a third none. Any other command,
// and one that takes longer, is ended here: in order, with a line, no child and no temporary
// directory left.
#pragma once

#include <atomic>
#include <string>

#include "cli/console.h"

namespace tinytune {

class Interrupts {
 public:
  struct Command {
    bool finishes = false;  ///< it looks at cancel() and ends by itself
    std::string last_line;  ///< what is said where it does not
  };

  /// Starts to listen. To be called once, before there is any other thread: the rest inherit which
  /// signals they do not take.
  Interrupts(Console console, Command command);

  /// Becomes true with the first signal.
  const std::atomic<bool>* cancel() const;

  /// The command has ended by itself: signals change nothing any more.
  void finished() const;
};

}  // namespace tinytune
