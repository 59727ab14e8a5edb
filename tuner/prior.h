// What a log knows of tasks that a run does not tune: those of other networks, before its first
// proposal.
//
// Records of the run's own tasks are history (session.h): trials that are not repeated. A record of
// another task is hearsay: it teaches the shared model as one more task, and what gained there is
// tried early here. How far it is believed is inferred from this run's own trials
// (knob_gp.h), so what misleads fades.
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
  /// Records of a workload that are told, its best among them: a model is asked to learn what is
  /// common, and its time is shared by all workloads.
  static constexpr size_t kMostRows = 256;

  /// `records`: all of `device`, in the order of the log. Those of the run's `tasks` are not its
  /// matter, nor is what was measured after the first record of the run of that `identity`: a run
  /// that is resumed must know no more than it did.
  Prior(const std::vector<Measurement>& records, const std::vector<TuningTask>& tasks,
        const std::string& identity, const Device& device);

  /// The model refers to this prior from then on.
  void teach(SharedModel& model) const;

  /// The points of the task's space that were fastest for other workloads of its shape, the fastest
  /// first; a few.
  std::vector<size_t> proven_for(const TuningTask& task) const;

  /// How many records are told.
  size_t used() const;
  /// Of so many workloads.
  size_t workloads() const { return told_.size(); }

 private:
  struct Told {
    Workload workload;
    ConfigSpace space;
    std::vector<Observation> observations;
  };
  Device device_;
  std::vector<Told> told_;  ///< by text
};

}  // namespace tinytune
