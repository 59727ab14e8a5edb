// The knob of the code generator: which instruction scheduler LLVM runs, and whether loop heads are
// aligned. Every template offers it, except those whose kernels are one piece of assembly.
//
// Whether scheduling helps depends on the tile: it hides load latency, and it spills when the tile
// already fills the registers. So it is measured like any other choice. A jump to a 32-bit
// instruction whose address is no multiple of 4 costs a cycle on some cores; aligning a loop costs
// a NOP before it. Both choices are values of one knob, which keeps logs without alignment valid:
// a scheduler's name, with the suffix "_aligned" where the device has a loop alignment.
#pragma once

#include <string>
#include <string_view>

#include "devices/device.h"
#include "schedules/config_space.h"
#include "schedules/loop_nest.h"

namespace tinytune {

/// No template's `lower` may read this knob: schedules that differ only in it are lowered once.
inline constexpr const char* kSchedulerKnob = "sched";

inline constexpr const char* kSchedulers[] = {"source", "pressure", "ilp"};
inline constexpr std::string_view kAligned = "_aligned";

/// The LLVM settings of one value of the knob.
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

/// Aligned values exist only if the device file gives a loop alignment.
inline Knob scheduler_knob(const Device& device) {
  Knob knob{kSchedulerKnob, {}};
  for (const char* scheduler : kSchedulers) knob.values.emplace_back(scheduler);
  if (device.timing.loop_alignment > 0)
    for (const char* scheduler : kSchedulers)
      knob.values.push_back(scheduler + std::string(kAligned));
  return knob;
}

// Returns the scheduler's value with aligned loops, if the device has a loop alignment.
inline std::string in_aligned_loops(std::string scheduler, const Device& device) {
  if (device.timing.loop_alignment > 0) scheduler += kAligned;
  return scheduler;
}

/// The default of templates whose loops LLVM schedules: on RISC-V by register pressure, because the
/// selection DAG would hold every load of a tile at once; elsewhere in source order. Loops are
/// aligned if the device has a loop alignment.
inline std::string usual_scheduler(const Device& device) {
  const bool by_registers = device.target.family == CoreFamily::kRiscv32;
  return in_aligned_loops(by_registers ? "pressure" : "source", device);
}

/// The default of templates that order their instructions themselves: source order.
inline std::string written_order(const Device& device) {
  return in_aligned_loops("source", device);
}

/// Adds the switches of a schedule as features.
inline void describe_switches(const Schedule& schedule, LoopNest& nest) {
  const Switches switches = switches_of(schedule);
  for (const char* kind : kSchedulers)
    nest.switches.emplace_back(std::string("sched_") + kind,
                               switches.scheduler == kind ? 1.0 : 0.0);
  if (switches.aligned_loops) nest.switches.emplace_back("aligned_loops", 1.0);
}

}  // namespace tinytune
