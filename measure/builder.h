// The builder: schedule → image, each build in a sandbox of its own.
//
// Halide and LLVM abort, loop and allocate without bound on some schedules, and LLVM's switches are
// global to a process. In a child that is thrown away none of it can hurt the run or the next
// build.
#pragma once

#include <string>

#include "codegen/kernel.h"
#include "devices/device.h"
#include "measure/job.h"
#include "measure/sandbox.h"
#include "records/measurement.h"
#include "schedules/schedule.h"
#include "schedules/workload.h"
#include "tinytune/result.h"

namespace tinytune {

/// The name a measured kernel is exported under.
inline constexpr const char* kKernelSymbol = "kernel";

struct BuildReport {
  Outcome outcome = Outcome::kBuildFailed;  ///< kOk: the image is there
  std::string detail;
  Image image;
  BuildTimes times;
};

/// Not thread-safe: one build at a time.
class Builder {
 public:
  /// Forks the build server; see Sandbox::start for when that may be done.
  static Result<Builder> start(const Device& device);

  /// kDeviceLost: the build server is gone; start another builder.
  Result<BuildReport> build(const Workload& workload, const Schedule& schedule,
                            const MeasureLimits& limits);

 private:
  explicit Builder(Sandbox sandbox) : sandbox_(std::move(sandbox)) {}
  Sandbox sandbox_;
};

}  // namespace tinytune
