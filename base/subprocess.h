// Runs a program to its end and collects what it wrote. No shell is involved, and the host's way
// with SIGCHLD does not matter (base/child.h).
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "tinytune/result.h"

namespace tinytune {

struct ProcessResult {
  int exit_code = 0;  ///< 128 + signal number when a signal ended it
  std::string out;
  std::string err;
};

/// Finds argv[0] on PATH. Errors: kNotFound (no such program), kFailed (could not start, or still
/// running after `timeout`, then killed). A non-zero exit is a result, not an error.
Result<ProcessResult> run_process(const std::vector<std::string>& argv,
                                  std::chrono::milliseconds timeout);

}  // namespace tinytune
