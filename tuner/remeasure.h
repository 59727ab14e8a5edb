// What a log says, measured again: for a build server that has to notice a slower compiler or
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

/// Every record's schedule, built, verified and counted by workers: with the constants of the one
/// of `known` that has its workload, or of which it is some rows, or else with some that are
/// generated for the facts that it states. Kernels branch where a result is clamped, so the latter
/// may differ by a few percent from what was measured with others. In the records' order. Of
/// `options` the workers, their program, `cancel` and `on_message` are read. kUnsupported: a
/// workload that no constants were found for. kInterrupted: cancelled. Otherwise as tune_model().
Result<std::vector<Remeasured>> remeasure(std::span<const Measurement> records,
                                          std::span<const Task> known, const Device& device,
                                          const std::string& device_name,
                                          const TuneOptions& options);

}  // namespace tinytune
