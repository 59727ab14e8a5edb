// What a log says, measured again: for a build server that has to notice a slower compiler or
// kernel.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "devices/device.h"
#include "measure/job.h"
#include "records/measurement.h"
#include "tinytune/result.h"
#include "tinytune/tuning.h"

namespace tinytune {

struct Remeasured {
  Measurement before;
  MeasureResult now;
};

/// Every record's schedule, built, verified and counted by workers, with constants generated for
/// the facts that its workload states: no kernel's cycles depend on more. In the records' order. Of
/// `options` the workers, their program, `cancel` and `on_message` are read. kUnsupported: a
/// workload that no constants were found for. kInterrupted: cancelled. Otherwise as tune_model().
Result<std::vector<Remeasured>> remeasure(std::span<const Measurement> records,
                                          const Device& device, const std::string& device_name,
                                          const TuneOptions& options);

}  // namespace tinytune
