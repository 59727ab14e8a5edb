// Runs kernels on a board, and detects when the board's speed has drifted.
//
// If the chip warms up, its supply voltage drops or a debugger leaves the caches off, cycles are no
// longer comparable with those of an hour ago, and a search would rank by the difference. So the
// first correct kernel is kept as a reference and is run again now and then. Simulators, which
// cannot drift, and machines that share their core, where drift could not be told from load, are
// not checked.
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
  /// Measurements between two drift checks, and the largest accepted relative change of cycles.
  static constexpr int kBetweenLooks = 50;
  static constexpr double kMostDrift = 0.02;

  /// `board` must outlive the runner.
  explicit BoardRunner(Board& board) : board_(board) {}

  /// Calls run_with_resets(). Also fails with kFailed if the board has drifted and a reset does not
  /// cure it.
  Result<RunResult> run(const BuiltKernel& kernel, const TaskData& task,
                        const MeasureLimits& limits);

 private:
  struct Reference {
    BuiltKernel kernel;
    TaskData task;  ///< with its first case only
    uint64_t cycles = 0;
  };
  void remember(const BuiltKernel& kernel, const TaskData& task, const MeasureResult& result);
  Status look();
  /// Measures the reference kernel again.
  Result<uint64_t> cycles_now();

  Board& board_;
  std::optional<Reference> reference_;
  int since_look_ = 0;
};

}  // namespace tinytune
