// Runs kernels on a board for as long as the board is the one that it was.
//
// A chip that warms up, a regulator that gives less, a debugger that left the caches off: cycles
// then mean something else than an hour ago, and a search would rank by it. So the first right
// kernel is kept and run again now and then. A simulator does not change and is not asked, nor is a
// machine that has other work.
#pragma once

#include <cstdint>
#include <optional>

#include "measure/board.h"
#include "measure/built_kernel.h"
#include "measure/job.h"
#include "measure/runner.h"
#include "tinytune/result.h"

namespace tinytune {

/// Not thread-safe.
class BoardRunner {
 public:
  /// How many measurements lie between two looks, and how far its cycles may be from the first.
  static constexpr int kBetweenLooks = 50;
  static constexpr double kMostDrift = 0.02;

  /// The board outlives it.
  explicit BoardRunner(Board& board) : board_(board) {}

  /// As run_with_resets(). kFailed as well: the board's cycles are others than they were, and a
  /// reset does not change that.
  Result<RunResult> run(const BuiltKernel& kernel, const TaskData& task,
                        const MeasureLimits& limits);

 private:
  struct Reference {
    BuiltKernel kernel;
    TaskData task;  ///< its first case alone
    uint64_t cycles = 0;
  };
  void remember(const BuiltKernel& kernel, const TaskData& task, const MeasureResult& result);
  Status look();
  /// Of the reference, now.
  Result<uint64_t> cycles_now();

  Board& board_;
  std::optional<Reference> reference_;
  int since_look_ = 0;
};

}  // namespace tinytune
