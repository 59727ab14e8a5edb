// The order in which schedules are tried: one strategy per task, their shared model, and the budget
// between them; a pure function of tasks, device, settings and observations.
//
// Nothing here measures or waits, so a run's proposals never depend on workers or clocks.
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
  /// `tasks` must outlive the trajectory; `prior` may be null. kInvalidInput: no such tuner.
  static Result<Trajectory> create(const std::vector<TuningTask>& tasks, const Device& device,
                                   const RunSettings& settings,
                                   std::shared_ptr<const Prior> prior = nullptr);
  /// Uses the caller's strategies, one per task.
  Trajectory(const std::vector<TuningTask>& tasks,
             std::vector<std::unique_ptr<Strategy>> strategies);

  /// Passes on a measurement that this trajectory did not propose; call it before the first
  /// propose(). Ignores other workloads and schedules outside the space.
  void tell_history(const Measurement& measurement);

  /// Returns the next trial, never the same twice; nothing when every task is done. A task that is
  /// done stays so.
  std::optional<Trial> propose();

  /// Receives outcomes in the order of the proposals. A build alone is not a trial of the budget,
  /// unless it fails.
  void observe(const Trial& trial, const Measurement& measurement);

 private:
  const std::vector<TuningTask>* tasks_;
  std::shared_ptr<const Prior> prior_;  ///< the strategies' model refers to it
  std::vector<std::unique_ptr<Strategy>> strategies_;
  Budget budget_;
};

}  // namespace tinytune
