// Which task to spend the next trial on: the one with the largest expected gain for the network.
//
// What a task may still gain is read off its own progress and not off a cost model: what it gained
// in the younger half of its trials, plus a share for what we cannot know that falls with their
// number. The model is trained to rank schedules within a task and says nothing on how far the best
// one is away.
//
// Tasks that stand for the same layer are alternatives (its layouts), and the layer costs what the
// better one costs. A gain of the other counts only as far as it overtakes.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "search/strategy.h"

namespace tinytune {

/// Raised whenever equal outcomes lead to other choices: a run that goes on with another is
/// another.
inline constexpr int kBudgetVersion = 2;

/// Told every outcome in proposal order; asked before every proposal. Deterministic, and blind to
/// how many trials the run will have: a run that is continued with more of them stays the same run.
class Budget {
 public:
  /// `layers[t]`: what task t stands for in the network, at least one layer.
  explicit Budget(const std::vector<std::vector<int>>& layers);

  /// Trials a task gets whatever they promise, as soon as they are a quarter of its even share: the
  /// default first, and later enough to see what moves.
  static constexpr size_t kMinimumTrials = 8;

  /// The task for the next trial; nothing when every task is exhausted. `exhausted` tasks are
  /// those whose strategy had nothing left to propose.
  std::optional<size_t> next() const;

  void proposed(size_t task);
  void observed(size_t task, const Observation& observation);
  void exhausted(size_t task);

 private:
  static constexpr double kUnknown = std::numeric_limits<double>::infinity();
  struct TaskState {
    std::vector<size_t> layers;  ///< places in layers_
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
