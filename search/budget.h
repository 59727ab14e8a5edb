// Which task to spend the next trial on: the one with the largest expected gain for the network.
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

  /// The task for the next trial; nothing when every task is exhausted. `exhausted` tasks are
  /// those whose strategy had nothing left to propose.
  std::optional<size_t> next() const;

  void proposed(size_t task);
  void observed(size_t task, const Observation& observation);
  void exhausted(size_t task);

 private:
  struct TaskState {
    double weight = 1;
    size_t proposed = 0, observed = 0;
    bool done = false;
    std::vector<double> best_after;  ///< best cycles after each observation
  };
  std::vector<TaskState> tasks_;
};

}  // namespace tinytune
