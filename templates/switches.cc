#include "templates/switches.h"

namespace tinytune {

Knob scheduler_knob() { return {kSchedulerKnob, {"source", "pressure", "ilp"}}; }

void describe_switches(const Schedule& schedule, LoopNest& nest) {
  for (const char* kind : {"source", "pressure", "ilp"})
    nest.switches.emplace_back(std::string("sched_") + kind,
                               schedule.get(kSchedulerKnob) == kind ? 1.0 : 0.0);
}

}  // namespace tinytune
