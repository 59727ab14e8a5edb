// One ranking model for all tasks of a run.
//
// Each task's rows form a separate group, so cycles of different tasks are never compared. Still,
// the effect of unrolling or spilling learned from one task orders the candidates of the next
// before it has any measurement. The model is refitted only at fixed numbers of observations, so a
// trajectory depends on the sequence of calls alone.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cost_model/columns.h"
#include "cost_model/ranker.h"
#include "cost_model/transfer_gp.h"
#include "search/strategy.h"
#include "search/task_rows.h"

namespace tinytune {

class SharedModel {
 public:
  explicit SharedModel(uint64_t seed) : seed_(seed) {}

  /// Adds a task and returns its number, which the other functions take.
  size_t add_task(const SearchProblem& problem);

  /// Adds an observation. Successful builds without a run are ignored: they do not tell the speed.
  void observe(size_t task, const Observation& observation);

  /// Scores points: larger is better, comparable within one call only; all equal before the first
  /// observation. Refits the model first if there are enough new observations.
  std::vector<float> scores(size_t task, std::span<const size_t> points);

  /// Predicts the gain of points from the observations of all other tasks
  /// (cost_model/transfer_gp.h), in logarithms of cycles. All 0 before there are enough of them.
  std::vector<float> hints(size_t task, std::span<const size_t> points);

  /// Observations of all tasks so far.
  size_t observed() const { return observed_; }

 private:
  struct Fit {
    Ranker ranker;
    std::vector<size_t> kept;  ///< columns that the ranker was trained on
  };
  /// A fit to the observations of all tasks but one.
  struct Foreign {
    TransferGp fit;
    size_t fitted = 0;            ///< observations of the others at the last fit
    std::vector<float> of_space;  ///< gain of each point; empty if the space is too large
  };
  struct Task {
    std::unique_ptr<TaskRows> rows;
    std::unique_ptr<KnobMoves> moves;
    size_t space_size = 0;
    std::vector<size_t> points;  ///< observed ones, in order
    std::vector<double> cycles;  ///< of each observed point; 0: failed
    Foreign foreign = {};
    std::vector<size_t> sampled(size_t most) const;
    std::vector<float> merits(std::span<const size_t> chosen) const;
    std::vector<MoveSample> samples(size_t task, size_t most) const;
  };
  std::optional<Fit> fit();
  std::vector<float> scores(const Fit& fit, size_t task, std::span<const size_t> points);
  Foreign& foreign(size_t task);
  void refit_foreign(size_t task);

  uint64_t seed_;
  Columns columns_;
  std::vector<Task> tasks_;
  std::optional<Fit> fit_;
  size_t observed_ = 0;
  size_t fitted_ = 0;  ///< observations at the last fit
};

}  // namespace tinytune
