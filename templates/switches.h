// Knobs of the code generator that every template offers but those whose kernels are one piece of
// assembly: which instruction scheduler LLVM runs, and whether heads of loops are aligned.
//
// Whether scheduling helps depends on the tile: it hides load latency, and it spills when the tile
// already fills the registers. So it is measured like any other choice. An instruction of 32 bits
// that is no multiple of 4 costs some cores a cycle at every jump to it; aligning a loop costs a
// NOP before it. Both are one knob, so that logs from before there was the second say what they
// said: its values are the schedulers' names, and where it pays the same with "_aligned".
#pragma once

#include <string>
#include <vector>

#include "devices/device.h"
#include "schedules/config_space.h"
#include "schedules/loop_nest.h"

namespace tinytune {

/// No template may read it when it lowers: schedules that differ in it alone are lowered once.
inline constexpr const char* kSchedulerKnob = "sched";

/// What a value of the knob asks of LLVM.
struct Switches {
  std::string scheduler;  ///< "source" (order of the IR), "ilp" (latency), "pressure" (registers)
  bool aligned_loops = false;
};
Switches switches_of(const Schedule& schedule);

/// Loops may be aligned where the device file says to what.
Knob scheduler_knob(const Device& device);

/// Of defaults whose loops LLVM orders, aligned where they may be: by registers on RISC-V, whose
/// selection DAG would hold every load of a tile at once; elsewhere as written.
std::string usual_scheduler(const Device& device);

/// Of defaults whose template has chosen the order of its instructions: that order.
std::string written_order(const Device& device);

/// The switches of a schedule as features.
void describe_switches(const Schedule& schedule, LoopNest& nest);

}  // namespace tinytune
