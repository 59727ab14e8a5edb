// Identity of a run: a digest of everything that decides which candidates are proposed.
//
// Only records of the same run are replayed. All others of its tasks are history, passed to the
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
  /// Number of outstanding proposals; when reached, the next one waits for the oldest outcome.
  size_t window = 16;
  /// Source of the cycles: a simulator or a board.
  Fidelity fidelity = Fidelity::kSimulate;
  /// Number of schedules per task that another fidelity found, which replace the strategy's
  /// proposals; 0: the strategy proposes.
  size_t promising = 0;
};

/// Returns the digest of the tasks in order (each with its layers, every point of its space, its
/// default point and those of its templates), the device, the strategy with its version, seed,
/// window and fidelity. Layouts, passes and memory limits are included only by their effect on
/// tasks and spaces. The number of trials is left out, so that a run can be continued with more.
///
/// `settings.tuner` must be an existing strategy.
std::string run_identity(const std::vector<TuningTask>& tasks, const Device& device,
                         const RunSettings& settings);

}  // namespace tinytune
