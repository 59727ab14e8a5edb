// The order in which schedules are tried: spaces, one strategy per task, and the budget between
// them, as a pure function of (tasks, device, tuner, seed, what it is told).
//
// Nothing here measures or waits, so what a run will propose never depends on workers or clocks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "devices/device.h"
#include "models/tasks.h"
#include "records/measurement.h"
#include "schedules/config_space.h"
#include "search/budget.h"
#include "search/strategy.h"
#include "tinytune/result.h"

namespace tinytune {

/// One task being tuned.
struct TuningTask {
  int index = 0;               ///< in the model
  const Task* task = nullptr;  ///< outlives this
  std::string workload;        ///< text form, as records hold it
  ConfigSpace space;
  size_t default_point = 0;
};

/// kUnsupported: no template takes one of the tasks on this device.
Result<std::vector<TuningTask>> make_tuning_tasks(const std::vector<Task>& tasks,
                                                  const std::vector<int>& selected,
                                                  const Device& device);

struct Proposal {
  size_t task = 0;   ///< index into the trajectory's tasks
  size_t point = 0;  ///< in its space
};

class Trajectory {
 public:
  /// `tasks` outlives the trajectory. kInvalidInput: no such tuner.
  static Result<Trajectory> create(const std::vector<TuningTask>& tasks, std::string_view tuner,
                                   uint64_t seed);

  /// A measurement that this trajectory did not propose; before the first propose(). Those of
  /// other workloads or outside the space are passed over.
  void tell_history(const Measurement& measurement);

  /// Never the same twice; nothing when every task's space is done.
  std::optional<Proposal> propose();

  /// In the order proposed.
  void observe(const Proposal& proposal, const Measurement& measurement);

 private:
  Trajectory(const std::vector<TuningTask>& tasks, std::vector<double> weights)
      : tasks_(&tasks), budget_(std::move(weights)) {}
  const std::vector<TuningTask>* tasks_;
  std::vector<std::unique_ptr<Strategy>> strategies_;
  Budget budget_;
};

}  // namespace tinytune
