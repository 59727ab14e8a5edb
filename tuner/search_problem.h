// Converts a tuning task, a device and measurements to the types of search/, which knows none of
// them.
#pragma once

#include <cstddef>

#include "devices/device.h"
#include "records/measurement.h"
#include "search/strategy.h"
#include "tuner/tuning_task.h"

namespace tinytune {

/// Returns a problem without seed, last stage and shared model, which the run sets. `task` must
/// outlive it.
SearchProblem problem_of(const TuningTask& task, const Device& device);

/// Returns the problem of a workload that is not tuned. `space` must outlive it.
SearchProblem problem_of(const Workload& workload, const ConfigSpace& space, const Device& device);

/// Converts a measurement of a task's `point` to an observation.
Observation observation_of(size_t point, const Measurement& measurement);

}  // namespace tinytune
