// The runner: what one measurement of a built kernel is. Run, compare, run again where no mistake
// can hide, and only then believe the cycles.
//
// The timed run has its buffers in the device's own memory and nothing watched. The verify runs
// have each buffer against unmapped pages, because equal output does not show that a kernel stayed
// inside its buffers. See doc/adr/0004-one-way-to-measure.md.
#pragma once

#include "measure/board.h"
#include "measure/built_kernel.h"
#include "measure/job.h"
#include "tinytune/result.h"

namespace tinytune {

/// Gives `board` the kernel and buffers for its layer, to be run. Constants cross the link only if
/// the board says that it lacks them. Errors as Board::load() and keep() say.
Result<LoadReport> load_kernel(Board& board, const BuiltKernel& kernel, const Workload& workload);

/// Runs every case of `task` on `board`: the first case for its cycles, all of them for their bytes
/// and for the kernel's manners, as far as the board can see these. The result has everything but
/// build times. `repeatable`: it is the candidate's own and would be the same again; not so where a
/// time limit ended it.
/// kDeviceLost: the board is in an unknown state. kFailed: it refuses what it should take.
struct RunResult {
  MeasureResult result;
  bool repeatable = true;
};
Result<RunResult> run_candidate(Board& board, const BuiltKernel& kernel, const TaskData& task,
                                const MeasureLimits& limits);

/// The same; a board that is lost on the way is reset and asked again, a few times: what a bad link
/// does to a measurement is not the candidate's doing. kDeviceLost: it stays lost.
Result<RunResult> run_with_resets(Board& board, const BuiltKernel& kernel, const TaskData& task,
                                  const MeasureLimits& limits);

}  // namespace tinytune
