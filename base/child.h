// Child processes whose exit status is known whatever the host does with SIGCHLD.
//
// The library runs inside other processes. If the host ignores SIGCHLD, the kernel keeps no exit
// status and waitpid() fails, so every program would seem to have succeeded; if the host's handler
// waits for any child, it reaps ours. So a program runs under a keeper: an intermediate process
// that the host's waits do not see. It waits for the program and reports its end over a pipe.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "tinytune/result.h"

namespace tinytune {

/// End of a process.
struct ChildEnd {
  int status = 0;     ///< wait status, for WIFEXITED(), WTERMSIG() and so on
  bool known = true;  ///< false: it ended, but the host's handling of SIGCHLD hid the status
};

/// Returns the end of `pid`, a child made by fork(); nullopt while it runs.
std::optional<ChildEnd> poll_child(pid_t pid);

/// A running program. It is killed with this object, or when the thread that started it ends.
class Child {
 public:
  /// Starts argv[0], found on PATH. It inherits only the given descriptors, as standard streams;
  /// without `in` standard input is empty. kFailed: no process can be made.
  static Result<Child> start(const std::vector<std::string>& argv, int out, int err, int in = -1);
  Child(Child&&) noexcept = default;
  Child& operator=(Child&&) = delete;
  ~Child();

  /// Becomes readable when the program has ended.
  int descriptor() const { return report_.get(); }
  /// Waits for the program's end; may be called once. kNotFound: no such program. kFailed: it could
  /// not be started, or its keeper was killed.
  Result<ChildEnd> wait();

 private:
  Child(pid_t keeper, Descriptor report) : keeper_(keeper), report_(std::move(report)) {}
  pid_t keeper_ = -1;
  Descriptor report_;  ///< -1 in a moved-from object
};

}  // namespace tinytune
