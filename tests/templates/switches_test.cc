// Alignment of loop heads: a knob where the device file offers it, and its effect in LLVM.
#include "templates/switches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "codegen/kernels/kernel.h"
#include "templates/kernel_template.h"

namespace tinytune {
namespace {

const char* const kSwitchedLayer =
    "conv2d_s8 nhwc n1 in8x8x8 out8x8x8 k3x3 s1x1 d1x1 p1,1 g1 m1 zp-128,-128 act-128,127 lane1 "
    "fused";

Schedule with_scheduler(const Schedule& schedule, const std::string& value) {
  auto knobs = schedule.knobs();
  for (auto& [name, own] : knobs)
    if (name == kSchedulerKnob) own = value;
  return Schedule(schedule.template_name(), schedule.version(), std::move(knobs));
}

/// Returns the number of labels right behind an alignment to four bytes.
int aligned_labels(const std::string& assembly) {
  std::istringstream lines(assembly);
  int count = 0;
  bool aligned = false;
  for (std::string line; std::getline(lines, line);) {
    count += aligned && line.starts_with(".L") ? 1 : 0;
    aligned = line.starts_with("\t.p2align\t2");
  }
  return count;
}

TEST(Switches, LoopsMayBeAligned_WhereTheDeviceFileSaysSo) {
  const Device hazard3 = *load_device("hazard3"), other = *load_device("rv32imc");
  const Workload workload = *parse_workload(kSwitchedLayer);
  EXPECT_EQ(scheduler_knob(other).values, (std::vector<std::string>{"source", "pressure", "ilp"}));
  EXPECT_EQ(default_schedule_of(workload, other)->get(kSchedulerKnob), "pressure");
  EXPECT_EQ(scheduler_knob(hazard3).values.size(), 6u);
  EXPECT_EQ(default_schedule_of(workload, hazard3)->get(kSchedulerKnob), "pressure_aligned");
  EXPECT_EQ(written_order(hazard3), "source_aligned");
}

TEST(Switches, WhatLlvmOrders_IsOrderedByRegistersOnRiscv) {
  const Workload workload = *parse_workload(kSwitchedLayer);
  const auto by_default = [&](const char* device, const std::string& of_template) {
    for (const Schedule& schedule : default_schedules_of(workload, *load_device(device)))
      if (schedule.template_name() == of_template) return schedule.get(kSchedulerKnob);
    return std::string();
  };
  EXPECT_EQ(by_default("rv32imc", "direct_nhwc"), "pressure");
  EXPECT_EQ(by_default("rv32imc", "wide_lanes_nhwc"), "source") << "its loops are assembly";
  EXPECT_EQ(by_default("cortex-m4", "direct_nhwc"), "source");
}

TEST(Switches, SchedulesOfLogsFromBefore_AreInTheSpaceStill) {
  const Device hazard3 = *load_device("hazard3");
  const Workload workload = *parse_workload(kSwitchedLayer);
  const ConfigSpace space = space_of(workload, hazard3);
  for (const Schedule& schedule : default_schedules_of(workload, hazard3))
    for (const char* value : {"source", "pressure", "ilp"})
      EXPECT_TRUE(space.find(with_scheduler(schedule, value))) << to_text(schedule);
}

TEST(Switches, AnAlignedLoop_StandsOnAMultipleOfFour) {
  const Device hazard3 = *load_device("hazard3");
  const Workload workload = *parse_workload(kSwitchedLayer);
  const Schedule usual = *default_schedule_of(workload, hazard3);
  const auto assembly = [&](const std::string& scheduler) {
    const auto kernel =
        compile_kernel(workload, with_scheduler(usual, scheduler), hazard3, "k", Emit::kAssembly);
    EXPECT_TRUE(kernel) << kernel.error().message();
    return kernel ? std::string(kernel->assembly.begin(), kernel->assembly.end()) : std::string();
  };
  EXPECT_EQ(aligned_labels(assembly("source")), 0);
  EXPECT_GT(aligned_labels(assembly("source_aligned")), 0);
}

TEST(Switches, OfASchedule_AreTheSchedulerAndTheAlignment) {
  const auto of = [](const char* value) {
    return switches_of(Schedule("t", 1, {{kSchedulerKnob, value}}));
  };
  EXPECT_EQ(of("ilp").scheduler, "ilp");
  EXPECT_FALSE(of("ilp").aligned_loops);
  EXPECT_EQ(of("ilp_aligned").scheduler, "ilp");
  EXPECT_TRUE(of("ilp_aligned").aligned_loops);
  const Switches of_assembly = switches_of(Schedule("t", 1, {{"pairs", "6"}}));
  EXPECT_EQ(of_assembly.scheduler, "source");
  EXPECT_FALSE(of_assembly.aligned_loops);
}

}  // namespace
}  // namespace tinytune
