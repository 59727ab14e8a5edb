// The builder: schedule → a kernel that can be run, each build in a sandbox of its own.
//
// Halide and LLVM abort, loop and allocate without bound on some schedules, and LLVM's switches are
// global to a process. In a child that is thrown away none of it can hurt the run or the next
// build. Constants are packed there too: their sizes come from whoever sent the task.
//
// An outcome is a fact about the candidate and goes into a log for good. So a build that something
// else ended, or for which this machine had no process, file or place, is tried again; it is never
// reported as a candidate that does not build.
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
  /// kOk: the kernel is there. kBuildFailed, kBuildTimeout, kDoesNotFit: the candidate's own doing.
  /// kLost: something else ended each try.
  Outcome outcome = Outcome::kBuildFailed;
  std::string detail;  ///< one line; empty for kOk
  BuiltKernel kernel;
  BuildTimes times;
  bool counted_names = false;  ///< as of LoweredKernel; known in the process that built
};

/// Not thread-safe: one build at a time. Remembers what the last schedules were lowered to: half of
/// a search's candidates differ from another one in switches of the code generator alone.
class Builder {
 public:
  /// How often a build is tried that something other than the candidate ended.
  static constexpr int kTries = 3;

  /// Forks the build server; see Sandbox::start for when that may be done.
  static Result<Builder> start(const Device& device);

  /// Compiles, links and packs. `task` has passed check_task().
  /// kFailed: this machine cannot build, whatever the candidate: no process, or no place for
  /// files. kDeviceLost: the build server is gone; start another builder.
  Result<BuildReport> build(const TaskData& task, const Schedule& schedule,
                            const MeasureLimits& limits);

  int server_pid() const { return sandbox_.server_pid(); }

 private:
  explicit Builder(Sandbox sandbox) : sandbox_(std::move(sandbox)) {}
  std::vector<uint8_t> take_bitcode(const std::string& key);
  void keep_bitcode(std::string key, std::vector<uint8_t> bitcode);

  Sandbox sandbox_;
  std::vector<std::pair<std::string, std::vector<uint8_t>>> lowered_;  ///< the last used last
};

/// What is known of a candidate once it is built: its outcome, digest, code facts and times, at
/// Fidelity::kBuild.
MeasureResult result_of(const BuildReport& build);

}  // namespace tinytune
