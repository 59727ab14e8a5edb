// Chooses the task for the next trial: the one with the largest expected gain for the network.
//
// A task's potential is estimated from its own progress and not from a cost model: the gain in the
// later half of its trials, plus a term for the unknown that falls with their number. The model is
// trained to rank schedules within a task and does not predict the distance to the optimum.
//
// Tasks of the same layer are alternatives (its layouts), and the layer costs as much as the best
// of them. A gain of another counts only as far as it beats that one.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "search/strategy.h"

namespace tinytune {

/// Raised whenever equal outcomes lead to other choices; part of a run's identity.
inline constexpr int kBudgetVersion = 2;

/// Receives every outcome in proposal order; next() is called before every proposal. Deterministic,
/// and independent of the run's number of trials, so a run that is continued with more trials
/// replays the same choices.
class Budget {
 public:
  /// `layers[t]`: the layers of the network that task t implements, at least one.
  explicit Budget(const std::vector<std::vector<int>>& layers);

  /// Trials that each task gets regardless of its expected gain, the default schedule first. They
  /// are granted gradually: at most a quarter of all trials is dealt out evenly.
  static constexpr size_t kMinimumTrials = 8;

  /// Returns the task for the next trial; nothing when every task is exhausted, that is when its
  /// strategy has nothing left to propose.
  std::optional<size_t> next() const;

  void proposed(size_t task);
  void observed(size_t task, const Observation& observation);
  void exhausted(size_t task);

 private:
  static constexpr double kUnknown = std::numeric_limits<double>::infinity();
  struct TaskState {
    std::vector<size_t> layers;  ///< consecutive numbers below layer_count_
    size_t proposed = 0;
    bool done = false;
    /// Best cycles after each observation; kUnknown until one was ok.
    std::vector<double> best_after;

    double best() const { return best_after.empty() ? kUnknown : best_after.back(); }
    double potential() const;
  };
  struct Range {
    double cheapest = kUnknown, dearest = 1;
  };
  size_t minimum() const;
  std::vector<double> layer_cycles() const;
  double gain(const TaskState& task, const std::vector<double>& layer_cycles,
              const Range& known) const;

  std::vector<TaskState> tasks_;
  size_t layer_count_ = 0;
};

}  // namespace tinytune
