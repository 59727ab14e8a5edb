// What makes two calls one run: everything that decides which candidates are proposed.
//
// Only records of the same run are replayed. All others that fit a task are history, told to the
// strategies before they propose anything (ADR 10).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "devices/device.h"
#include "records/measurement.h"
#include "tuner/tuning_task.h"

namespace tinytune {

struct RunSettings {
  std::string tuner = "bayes";
  uint64_t seed = 1;
  /// How many proposals are out before the oldest outcome is told.
  size_t window = 16;
  /// What gives cycles: a simulator or a board.
  Fidelity fidelity = Fidelity::kSimulate;
  /// Schedules of each task that another fidelity found, instead of the strategy's own proposals;
  /// 0: none.
  size_t promising = 0;
};

/// A digest of the tasks in order, each with its layers, every point of its space, the default
/// one and those of its templates, of the device, the strategy with its version, seed, window and
/// fidelity. Layouts, passes and memory limits need no mention: they act by changing tasks and
/// spaces. Neither does the number of trials, so that a run may be given more of them.
///
/// `settings.tuner` is a strategy that exists.
std::string run_identity(const std::vector<TuningTask>& tasks, const Device& device,
                         const RunSettings& settings);

}  // namespace tinytune
