// The runner: performs one measurement of a built kernel. It runs the kernel, compares its output,
// and accepts the cycles only after further runs that verify the kernel.
//
// The timed run has its buffers in the device's own memory and nothing watched. The verify runs
// place each buffer against unmapped pages, because correct output does not prove that a kernel
// stayed inside its buffers. See doc/adr/0004-one-way-to-measure.md.
#pragma once

#include "measure/board.h"
#include "measure/built_kernel.h"
#include "measure/job.h"
#include "tinytune/result.h"

namespace tinytune {

/// Loads the kernel and its buffers onto `board`. Constants are sent only if the board reports them
/// as lacking. Errors: those of Board::load() and keep().
Result<LoadReport> load_kernel(Board& board, const BuiltKernel& kernel, const Workload& workload);

/// Runs every case of `task` on `board`: the first case for its cycles, all of them to check their
/// output and, if the board can, stray accesses and changed registers. The result has
/// everything but build times. `repeatable`: the result is the candidate's own and would be the
/// same again; false if a time limit ended the run.
/// kDeviceLost: the board is in an unknown state. kFailed: the board fails independent of the
/// candidate.
struct RunResult {
  MeasureResult result;
  bool repeatable = true;
};
Result<RunResult> run_candidate(Board& board, const BuiltKernel& kernel, const TaskData& task,
                                const MeasureLimits& limits);

/// Calls run_candidate(). If the board is lost meanwhile, resets it and tries again, a few times,
/// because a bad link is not the candidate's fault. kDeviceLost: the board stays lost.
Result<RunResult> run_with_resets(Board& board, const BuiltKernel& kernel, const TaskData& task,
                                  const MeasureLimits& limits);

}  // namespace tinytune
