// Child processes whose end is learned whatever the host does with SIGCHLD.
//
// We live in other people's processes. Where one ignores SIGCHLD, the kernel keeps no exit status
// and waitpid() fails, so that every program seems to have succeeded; where one has a handler that
// waits for any child, it takes ours. So a program runs under a keeper: a process of our own that
// the host's waits do not see, that waits for the program and says over a pipe how it ended.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "tinytune/result.h"

namespace tinytune {

/// How a process ended, as waitpid() says it: WIFEXITED(), WTERMSIG() and so on read it.
struct ChildEnd {
  int status = 0;
  bool known = true;  ///< false: it ended, and the host's way with SIGCHLD hid how
};

/// Whether `pid`, a child made by fork(), has ended; nothing while it runs.
std::optional<ChildEnd> poll_child(pid_t pid);

/// A running program. It ends with this object, or when the thread that started it does.
class Child {
 public:
  /// Finds argv[0] on PATH. The streams go to the descriptors given, and no other is inherited;
  /// without `in` standard input is empty. kFailed: no process can be made.
  static Result<Child> start(const std::vector<std::string>& argv, int out, int err, int in = -1);
  Child(Child&&) noexcept = default;
  Child& operator=(Child&&) = delete;
  ~Child();

  /// Becomes readable when the program has ended.
  int descriptor() const { return report_.get(); }
  /// Waits for its end; once. kNotFound: there was no such program. kFailed: it could not be
  /// started, or somebody killed its keeper.
  Result<ChildEnd> wait();

 private:
  Child(pid_t keeper, Descriptor report) : keeper_(keeper), report_(std::move(report)) {}
  pid_t keeper_ = -1;
  Descriptor report_;  ///< -1 once it was moved from
};

}  // namespace tinytune
