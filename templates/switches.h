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
#include <string_view>

#include "devices/device.h"
#include "schedules/config_space.h"
#include "schedules/loop_nest.h"

namespace tinytune {

/// No template may read it when it lowers: schedules that differ in it alone are lowered once.
inline constexpr const char* kSchedulerKnob = "sched";

inline constexpr const char* kSchedulers[] = {"source", "pressure", "ilp"};
inline constexpr std::string_view kAligned = "_aligned";

/// What a value of the knob asks of LLVM.
struct Switches {
  std::string scheduler;  ///< "source" (order of the IR), "ilp" (latency), "pressure" (registers)
  bool aligned_loops = false;
};
inline Switches switches_of(const Schedule& schedule) {
  Switches switches{kSchedulers[0]};
  if (!schedule.has(kSchedulerKnob)) return switches;
  switches.scheduler = schedule.get(kSchedulerKnob);
  switches.aligned_loops = switches.scheduler.ends_with(kAligned);
  if (switches.aligned_loops)
    switches.scheduler.resize(switches.scheduler.size() - kAligned.size());
  return switches;
}

/// Loops may be aligned where the device file says to what.
inline Knob scheduler_knob(const Device& device) {
  Knob knob{kSchedulerKnob, {}};
  for (const char* scheduler : kSchedulers) knob.values.emplace_back(scheduler);
  if (device.timing.loop_alignment > 0)
    for (const char* scheduler : kSchedulers)
      knob.values.push_back(scheduler + std::string(kAligned));
  return knob;
}

// Loops aligned where they may be.
inline std::string in_aligned_loops(std::string scheduler, const Device& device) {
  if (device.timing.loop_alignment > 0) scheduler += kAligned;
  return scheduler;
}

/// Of defaults whose loops LLVM orders, aligned where they may be: by registers on RISC-V, whose
/// selection DAG would hold every load of a tile at once; elsewhere as written.
inline std::string usual_scheduler(const Device& device) {
  const bool by_registers = device.target.family == CoreFamily::kRiscv32;
  return in_aligned_loops(by_registers ? "pressure" : "source", device);
}

/// Of defaults whose template has chosen the order of its instructions: that order.
inline std::string written_order(const Device& device) {
  return in_aligned_loops("source", device);
}

/// The switches of a schedule as features.
inline void describe_switches(const Schedule& schedule, LoopNest& nest) {
  const Switches switches = switches_of(schedule);
  for (const char* kind : kSchedulers)
    nest.switches.emplace_back(std::string("sched_") + kind,
                               switches.scheduler == kind ? 1.0 : 0.0);
  if (switches.aligned_loops) nest.switches.emplace_back("aligned_loops", 1.0);
}

}  // namespace tinytune
