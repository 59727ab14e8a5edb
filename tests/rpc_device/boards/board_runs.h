// Helpers of the board tests: opening a board and running a kernel on it, over any transport.
#pragma once

#include <memory>
#include <string>

#include "measure/board.h"
#include "measure/built_kernel.h"
#include "measure/job.h"
#include "tests/rpc_device/boards/qemu.h"

namespace tinytune::test {

/// Opens the board at `address` (syntax of --device). On failure: null, and the test fails.
std::unique_ptr<Board> open(const std::string& address);

MeasureResult run(Board& board, const BuiltKernel& kernel, const TaskData& task,
                  const MeasureLimits& limits = {});

/// Runs the kernel in the simulator.
MeasureResult simulated(const BuiltKernel& kernel, const TaskData& task, const Device& device);

/// Expects schedules from all over a convolution's space to give the simulator's bytes and, on
/// RISC-V, its cycles. Arm machines count ticks of 40 ns and take 32 ns per instruction: their
/// counts may differ by `ticks`.
void expect_schedules_as_simulated(const QemuMachine& machine, Board& board, double ticks);

}  // namespace tinytune::test
