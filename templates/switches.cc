#include "templates/switches.h"

#include <string_view>

namespace tinytune {
namespace {

constexpr const char* kSchedulers[] = {"source", "pressure", "ilp"};
constexpr std::string_view kAligned = "_aligned";

/// Loops aligned where they may be.
std::string valued(std::string scheduler, const Device& device) {
  if (device.timing.loop_alignment > 0) scheduler += kAligned;
  return scheduler;
}

}  // namespace

Switches switches_of(const Schedule& schedule) {
  Switches switches{kSchedulers[0]};
  if (!schedule.has(kSchedulerKnob)) return switches;
  switches.scheduler = schedule.get(kSchedulerKnob);
  switches.aligned_loops = switches.scheduler.ends_with(kAligned);
  if (switches.aligned_loops)
    switches.scheduler.resize(switches.scheduler.size() - kAligned.size());
  return switches;
}

Knob scheduler_knob(const Device& device) {
  Knob knob{kSchedulerKnob, {}};
  for (const char* scheduler : kSchedulers) knob.values.emplace_back(scheduler);
  if (device.timing.loop_alignment > 0)
    for (const char* scheduler : kSchedulers)
      knob.values.push_back(scheduler + std::string(kAligned));
  return knob;
}

std::string usual_scheduler(const Device& device) {
  return device.target.family == CoreFamily::kRiscv32 ? valued("pressure", device)
                                                      : written_order(device);
}

std::string written_order(const Device& device) { return valued("source", device); }

void describe_switches(const Schedule& schedule, LoopNest& nest) {
  const Switches switches = switches_of(schedule);
  for (const char* kind : kSchedulers)
    nest.switches.emplace_back(std::string("sched_") + kind,
                               switches.scheduler == kind ? 1.0 : 0.0);
  if (switches.aligned_loops) nest.switches.emplace_back("aligned_loops", 1.0);
}

}  // namespace tinytune
