// Measures schedules where one process has both a builder and a board: build, then run.
//
// Where they are apart, as a compiler server and a board on somebody's desk, each half stands
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

/// Not thread-safe. Schedules that lower to the same kernel are run once.
class Measurer {
 public:
  /// Both outlive the measurer.
  Measurer(Builder& builder, Board& board) : builder_(builder), board_(board), runner_(board) {}

  /// `task` has passed check_task(); `task_digest` is task.digest(), which callers know. The result
  /// is at the stage that was asked for; boards are asked as BoardRunner does.
  /// kFailed: this machine cannot build, or the board refuses its work, whatever the candidate.
  /// kDeviceLost: builder or board is gone.
  Result<MeasureResult> measure(const TaskData& task, const Digest& task_digest,
                                const MeasureJob& job);

 private:
  Result<MeasureResult> run(const BuildReport& build, const TaskData& task,
                            const Digest& task_digest, const MeasureLimits& limits);

  Builder& builder_;
  Board& board_;
  BoardRunner runner_;
  ResultMemory known_;  ///< by task, kernel and limits
};

}  // namespace tinytune
