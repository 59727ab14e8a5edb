// What a measurement is: build, run, compare, run again where no mistake can hide, and only then
// believe the cycles.
//
// The timed run has its buffers in the device's own memory and nothing watched. The verify runs
// have each buffer against unmapped pages, because equal output does not show that a kernel stayed
// inside its buffers. See doc/adr/0004-one-way-to-measure.md.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "measure/board.h"
#include "measure/builder.h"
#include "measure/job.h"
#include "templates/kernel_template.h"
#include "tinytune/result.h"

namespace tinytune {

/// A linked kernel with what it reads besides its input.
struct LoadedKernel {
  std::vector<uint8_t> elf;
  std::string symbol = kKernelSymbol;
  std::vector<PackedConstant> constants;
  int64_t scratch_bytes = 0;
};

/// Runs every case of `task` on `board`: the first case for its cycles, all of them for their bytes
/// and for the kernel's manners. Build times and code size of the result are left alone.
/// kDeviceLost: the board is in an unknown state.
Result<MeasureResult> run_kernel(Board& board, const LoadedKernel& kernel, const TaskData& task,
                                 const MeasureLimits& limits);

/// Measures schedules. Schedules that lower to the same code are run once.
class Measurer {
 public:
  /// Both outlive the measurer.
  Measurer(Builder& builder, Board& board) : builder_(builder), board_(board) {}

  /// `task_hash` is task.hash(), which callers know. kDeviceLost: builder or board is gone.
  Result<MeasureResult> measure(const TaskData& task, uint64_t task_hash, const Schedule& schedule,
                                const MeasureLimits& limits);

 private:
  Builder& builder_;
  Board& board_;
  std::map<uint64_t, MeasureResult> known_;  // by task, code, constants and limits
};

}  // namespace tinytune
