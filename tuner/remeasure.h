// Measures the records of a log again, so that a build server can detect a slower compiler or
// kernel.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "devices/device.h"
#include "measure/job.h"
#include "models/tasks.h"
#include "records/measurement.h"
#include "tinytune/result.h"
#include "tinytune/tuning.h"

namespace tinytune {

struct Remeasured {
  Measurement before;
  MeasureResult now;
};

/// Builds, verifies and times every record's schedule on workers, and returns the results in the
/// records' order. Constants are those of the task of `known` with the same workload, or of which
/// the workload is a strip; else they are generated to match the facts that the workload states.
/// Generated ones may change cycles by a few percent, because kernels branch where a result is
/// clamped. Of `options` only the workers, their program, `cancel` and `on_message` are used.
/// kUnsupported: no constants were found for a workload. kInterrupted: cancelled. Other errors:
/// those of tune_model().
Result<std::vector<Remeasured>> remeasure(std::span<const Measurement> records,
                                          std::span<const Task> known, const Device& device,
                                          const std::string& device_name,
                                          const TuneOptions& options);

}  // namespace tinytune
