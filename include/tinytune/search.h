// Interface for the caller's own search strategy (ask and tell), used instead of `tuner`.
//
// Points are indices into the schedules of one task. A strategy that proposes the same points after
// the same outcomes makes runs that replay and that continue where an earlier run stopped. Nothing
// else requires determinism.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace tinytune {

/// The legal schedules of one task, typically thousands.
struct Candidates {
  std::string workload;      ///< as logs write it
  size_t size = 0;           ///< points are 0 to size - 1; neighbours often differ in one knob
  size_t default_point = 0;  ///< schedule of an untuned layer
  uint64_t seed = 1;         ///< the run's seed mixed with the task
  /// Returns a point as text, "pairs_dense/1 pairs=6 longest=32 scale=layer". May outlive the run.
  std::function<std::string(size_t point)> schedule;
};

/// A strategy for one task, called in the thread that tunes. An exception ends the process, as
/// everywhere in this library.
class SearchStrategy {
 public:
  virtual ~SearchStrategy() = default;

  /// Returns the next point to measure; nullopt: no further trial is worth its time. If the point
  /// is already known, ask() is called again, at most as often as there are points. A point out of
  /// range ends the task's search with a warning.
  virtual std::optional<size_t> ask() = 0;

  /// Reports the cycles of one call of a point; nullopt: its kernel did not build or was not exact.
  /// Called in the order of ask(), TuneOptions::window points later; earlier runs' points first.
  virtual void tell(size_t point, std::optional<double> cycles) = 0;
};

/// Makes one strategy per task, before the first trial.
struct OwnSearch {
  std::string name;  ///< for logs; must differ from all names of `tuner`
  std::function<std::unique_ptr<SearchStrategy>(const Candidates&)> make;  ///< null: refused
};

}  // namespace tinytune
