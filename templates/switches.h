// Knobs of the code generator that every template offers: which instruction scheduler LLVM runs.
//
// Whether scheduling helps depends on the tile: it hides load latency, and it spills when the tile
// already fills the registers. So it is measured like any other choice.
#pragma once

#include <vector>

#include "schedules/config_space.h"
#include "schedules/loop_nest.h"

namespace tinytune {

/// No template may read it when it lowers: schedules that differ in it alone are lowered once.
inline constexpr const char* kSchedulerKnob = "sched";

/// Its values: "source" (order of the IR), "ilp" (latency), "pressure" (registers).
Knob scheduler_knob();

/// The switches of a schedule as features.
void describe_switches(const Schedule& schedule, LoopNest& nest);

}  // namespace tinytune
