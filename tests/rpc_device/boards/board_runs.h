// What tests of boards ask of them, whatever the transport.
#pragma once

#include <memory>
#include <string>

#include "measure/board.h"
#include "measure/built_kernel.h"
#include "measure/job.h"
#include "tests/rpc_device/boards/qemu.h"

namespace tinytune::test {

/// The board at an address as --device takes it; null, with a failure, where it does not open.
std::unique_ptr<Board> open(const std::string& address);

MeasureResult run(Board& board, const BuiltKernel& kernel, const TaskData& task,
                  const MeasureLimits& limits = {});

/// The same in the simulator.
MeasureResult simulated(const BuiltKernel& kernel, const TaskData& task, const Device& device);

/// Schedules all over the space of a convolution give the simulator's bytes; and its cycles on
/// RISC-V. Arm's machines count ticks of 40 ns where an instruction is 32: to within `ticks`.
void expect_schedules_as_simulated(const QemuMachine& machine, Board& board, double ticks);

}  // namespace tinytune::test
