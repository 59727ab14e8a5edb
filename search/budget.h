// Which task to spend the next trial on: the one with the largest expected gain for the network.
//
// A task's rate of gain is read off its own progress and not off a cost model: what it gained in
// the younger half of its trials, plus a share for what we cannot know that falls with the square
// of the trials. The model is trained to rank schedules within a task and says nothing on how far
// the best one is away.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "search/strategy.h"

namespace tinytune {

/// Told every outcome in proposal order; asked before every proposal. Deterministic.
class Budget {
 public:
  /// `weights[t]`: how many layers of the network run task t.
  explicit Budget(std::vector<double> weights);

  /// Trials every task gets before any gets more: the default and enough to see what moves.
  static constexpr size_t kMinimumTrials = 8;

  /// The task for the next trial; nothing when every task is exhausted. `exhausted` tasks are
  /// those whose strategy had nothing left to propose.
  std::optional<size_t> next() const;

  void proposed(size_t task);
  void observed(size_t task, const Observation& observation);
  void exhausted(size_t task);

 private:
  struct TaskState {
    double weight = 1;
    size_t proposed = 0;
    bool done = false;
    /// Best cycles after each observation; infinite until one was ok.
    std::vector<double> best_after;

    double gain_rate() const;
  };
  std::vector<TaskState> tasks_;
};

}  // namespace tinytune
