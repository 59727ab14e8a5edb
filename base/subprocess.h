// Runs a program to its end and collects its output. No shell is involved, and the host's handling
// of SIGCHLD does not matter (base/child.h).
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "tinytune/result.h"

namespace tinytune {

struct ProcessResult {
  int exit_code = 0;  ///< 128 + signal number if a signal ended it
  std::string out;
  std::string err;
};

/// Runs argv[0], found on PATH. kNotFound: no such program. kFailed: it could not be started, or
/// was killed because it still ran after `timeout`. A non-zero exit is a result, not an error.
Result<ProcessResult> run_process(const std::vector<std::string>& argv,
                                  std::chrono::milliseconds timeout);

}  // namespace tinytune
