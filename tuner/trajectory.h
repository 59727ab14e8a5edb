// The order in which schedules are tried: one strategy per task, the model they share, and the
// budget between them, as a pure function of (tasks, device, settings, what it is told).
//
// Nothing here measures or waits, so what a run will propose never depends on workers or clocks.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "devices/device.h"
#include "records/measurement.h"
#include "search/budget.h"
#include "search/strategy.h"
#include "tinytune/result.h"
#include "tuner/prior.h"
#include "tuner/run_identity.h"
#include "tuner/tuning_task.h"

namespace tinytune {

struct Trial {
  size_t task = 0;  ///< index into the trajectory's tasks
  Proposal proposal;
};

class Trajectory {
 public:
  /// `tasks` outlives the trajectory; `prior` may be null. kInvalidInput: no such tuner.
  static Result<Trajectory> create(const std::vector<TuningTask>& tasks, const Device& device,
                                   const RunSettings& settings,
                                   std::shared_ptr<const Prior> prior = nullptr);
  /// With strategies of the caller's, one per task.
  Trajectory(const std::vector<TuningTask>& tasks,
             std::vector<std::unique_ptr<Strategy>> strategies);

  /// A measurement that this trajectory did not propose; before the first propose(). Those of
  /// other workloads or outside the space are passed over.
  void tell_history(const Measurement& measurement);

  /// Never the same twice; nothing when every task is done. A task that is done stays so.
  std::optional<Trial> propose();

  /// In the order proposed. A build alone is no trial of the budget's, unless it fails.
  void observe(const Trial& trial, const Measurement& measurement);

 private:
  const std::vector<TuningTask>* tasks_;
  std::shared_ptr<const Prior> prior_;  ///< which the strategies' model refers to
  std::vector<std::unique_ptr<Strategy>> strategies_;
  Budget budget_;
};

}  // namespace tinytune
