// A search strategy of the caller's own, by ask and tell, instead of one that `tuner` names.
//
// Points are numbers into the schedules of one task. Who proposes the same points after the same
// outcomes gets runs that replay, and that go on where an earlier one stopped; nothing else asks
// for determinism.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace tinytune {

/// The schedules of one task that are legal, some thousands.
struct Candidates {
  std::string workload;      ///< as logs write it
  size_t size = 0;           ///< points are 0 to size - 1; neighbours often differ in one knob
  size_t default_point = 0;  ///< what an untuned layer gets
  uint64_t seed = 1;         ///< the run's, mixed with the task
  /// "pairs_dense/1 pairs=6 longest=32 scale=layer", of a point. May outlive the run.
  std::function<std::string(size_t point)> schedule;
};

/// Called in the thread that tunes. An exception ends the process, as everywhere in this library.
class SearchStrategy {
 public:
  virtual ~SearchStrategy() = default;

  /// The next point to measure; nothing: no further trial is worth its time. A point that was asked
  /// for before is asked for again, at most so often as there are points; one that does not exist
  /// ends the task's search with a warning.
  virtual std::optional<size_t> ask() = 0;

  /// What a point took, in cycles of one call; nothing: its kernel did not build, or was not exact.
  /// In the order of ask(), TuneOptions::window of them later; first those of an earlier run.
  virtual void tell(size_t point, std::optional<double> cycles) = 0;
};

/// `make` is called once for each task, before the first trial.
struct OwnSearch {
  std::string name;  ///< for logs; none that `tuner` could have
  std::function<std::unique_ptr<SearchStrategy>(const Candidates&)> make;  ///< null: refused
};

}  // namespace tinytune
