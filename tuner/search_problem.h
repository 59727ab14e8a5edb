// A tuning task, a device and a log in the words of search, which knows none of them.
#pragma once

#include <cstddef>

#include "devices/device.h"
#include "records/measurement.h"
#include "search/strategy.h"
#include "tuner/tuning_task.h"

namespace tinytune {

/// Without a seed, a last stage or a shared model, which are a run's. `task` outlives it.
SearchProblem problem_of(const TuningTask& task, const Device& device);

/// The same of a workload that is not tuned. `space` outlives it.
SearchProblem problem_of(const Workload& workload, const ConfigSpace& space, const Device& device);

/// What a strategy hears of a measurement of its task's `point`.
Observation observation_of(size_t point, const Measurement& measurement);

}  // namespace tinytune
