// All schedules of a template for a layer: those that its constants permit compute the reference's
// bytes, and may_pack() says which those are.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tests/templates/expect_exact.h"

namespace tinytune {

/// Of a workload's line without facts. `ran`: how many schedules the constants permit.
inline void expect_every_schedule_exact(const KernelTemplate& kernel_template, Simulator& simulator,
                                        const Device& device, const std::string& shape,
                                        Scales scales, uint64_t seed, size_t& ran) {
  const RandomLayer layer = random_layer(*parse_workload(shape + " lane1 long"), scales, seed);
  ASSERT_TRUE(kernel_template.supports(layer.workload, device)) << shape;
  const auto may_pack = kernel_template.may_pack(layer.workload, layer.data);
  const ConfigSpace space = kernel_template.space(layer.workload, device);
  ran = 0;
  for (size_t point = 0; point < space.size(); ++point) {
    const Schedule schedule = space.schedule(point);
    ASSERT_EQ(packs(layer, schedule), may_pack(schedule)) << to_text(schedule);
    if (!may_pack(schedule)) continue;
    ++ran;
    expect_exact(simulator, device, layer, schedule, seed);
    if (testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace tinytune
