// Prior knowledge from a log: records of tasks that a run does not tune, such as those of other
// networks, used before its first proposal.
//
// Records of the run's own tasks are history (session.h): their trials are not repeated. Records of
// other tasks train the shared model as additional tasks, and schedules that were fast there are
// tried early here. Their weight is inferred from this run's own trials (knob_gp.h), so misleading
// records lose their influence.
#pragma once

#include <string>
#include <vector>

#include "devices/device.h"
#include "records/measurement.h"
#include "search/shared_model.h"
#include "tuner/tuning_task.h"

namespace tinytune {

class Prior {
 public:
  /// Records used per workload, besides its best: the model should learn what is common, and all
  /// workloads share its training time.
  static constexpr size_t kMostRows = 256;

  /// `records`: all those of `device`, in the log's order. Ignores records of the run's `tasks`,
  /// and all from the first record of the run with that `identity` on: a resumed run must know no
  /// more than it did originally.
  Prior(const std::vector<Measurement>& records, const std::vector<TuningTask>& tasks,
        const std::string& identity, const Device& device);

  /// Adds the prior's tasks and observations to the model, which refers to this prior from then on.
  void teach(SharedModel& model) const;

  /// Returns the few points of the task's space that were fastest for other workloads of its shape,
  /// the fastest first.
  std::vector<size_t> proven_for(const TuningTask& task) const;

  /// Number of records used.
  size_t used() const;
  /// Number of workloads of these records.
  size_t workloads() const { return told_.size(); }

 private:
  struct Told {
    Workload workload;
    ConfigSpace space;
    std::vector<Observation> observations;
  };
  Device device_;
  std::vector<Told> told_;  ///< sorted by the workload's text
};

}  // namespace tinytune
