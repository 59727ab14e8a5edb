// Measures schedules in a process that has both a builder and a board: builds, then runs.
//
// If they are on different machines (a compiler server, a board on a desk), each half is used
// alone: Builder::build() and run_candidate().
#pragma once

#include "base/digest.h"
#include "measure/board.h"
#include "measure/board_runner.h"
#include "measure/builder.h"
#include "measure/job.h"
#include "measure/result_memory.h"
#include "measure/runner.h"
#include "tinytune/result.h"

namespace tinytune {

/// Not thread-safe. Schedules that lower to the same kernel run only once.
class Measurer {
 public:
  /// Both outlive the measurer.
  Measurer(Builder& builder, Board& board) : builder_(builder), board_(board), runner_(board) {}

  /// Builds one candidate and, unless `job.stage` is kBuild, runs it with BoardRunner. `task` must
  /// have passed check_task(); `task_digest` is task.digest(), which callers have at hand.
  /// kFailed: this machine cannot build, or the board refuses work, independent of the candidate.
  /// kDeviceLost: builder or board is gone.
  Result<MeasureResult> measure(const TaskData& task, const Digest& task_digest,
                                const MeasureJob& job);

 private:
  Result<MeasureResult> run(const BuildReport& build, const TaskData& task,
                            const Digest& task_digest, const MeasureLimits& limits);

  Builder& builder_;
  Board& board_;
  BoardRunner runner_;
  ResultMemory known_;  ///< key: task, kernel and limits
};

}  // namespace tinytune
