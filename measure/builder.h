// The builder: turns a schedule into a kernel that can be run, inside a sandbox.
//
// Halide and LLVM abort, loop and allocate without bound on some schedules, and LLVM's switches are
// global to a process. In a disposable child process none of this can hurt the run or the next
// build. Constants are packed there too, because their sizes come from the task's sender.
//
// An outcome is a fact about the candidate and is logged permanently. So a build that was killed
// from outside, or for which this machine lacked a process, file or disk space, is retried; it is
// never reported as a candidate that does not build.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "codegen/kernels/kernel.h"
#include "devices/device.h"
#include "measure/built_kernel.h"
#include "measure/job.h"
#include "measure/sandbox.h"
#include "records/measurement.h"
#include "tinytune/result.h"

namespace tinytune {

struct BuildReport {
  /// kOk: `kernel` is valid. kBuildFailed, kBuildTimeout, kDoesNotFit: caused by the candidate.
  /// kLost: the tries were killed from outside or got stuck.
  Outcome outcome = Outcome::kBuildFailed;
  std::string detail;  ///< one line; empty for kOk
  BuiltKernel kernel;
  BuildTimes times;
  bool counted_names = false;  ///< LoweredKernel::counted_names; set only in the sandbox's child
};

/// Not thread-safe: one build at a time. Caches the bitcode of recent schedules, because half of a
/// search's candidates differ from another one only in switches of the code generator.
class Builder {
 public:
  /// Largest number of tries of a build that ends for a reason other than the candidate.
  static constexpr int kTries = 3;

  /// Forks the build server. The restrictions of Sandbox::start() apply.
  static Result<Builder> start(const Device& device);

  /// Compiles, links and packs. `task` has passed check_task().
  /// kFailed: this machine cannot build any candidate: no process, or no space for files.
  /// kDeviceLost: the build server is gone; start another builder.
  Result<BuildReport> build(const TaskData& task, const Schedule& schedule,
                            const MeasureLimits& limits);

  int server_pid() const { return sandbox_.server_pid(); }

 private:
  explicit Builder(Sandbox sandbox) : sandbox_(std::move(sandbox)) {}
  std::vector<uint8_t> take_bitcode(const std::string& key);
  void keep_bitcode(std::string key, std::vector<uint8_t> bitcode);

  Sandbox sandbox_;
  std::vector<std::pair<std::string, std::vector<uint8_t>>> lowered_;  ///< oldest use first
};

/// Returns the result of a candidate that was only built (Fidelity::kBuild): outcome, digest, code
/// facts and times.
MeasureResult result_of(const BuildReport& build);

}  // namespace tinytune
