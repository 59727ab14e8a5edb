// Checks all schedules of a template for a layer: those that its constants permit compute the
// reference's bytes, and may_pack() tells which those are.
#pragma once

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "tests/templates/expect_exact.h"

namespace tinytune {

/// Checks `points` of the layer's space: pack() and may_pack() permit the same schedules, and these
/// are exact. `ran`: their number.
template <typename Points>
void expect_schedules_exact(const KernelTemplate& kernel_template, Simulator& simulator,
                            const Device& device, const RandomLayer& layer, const Points& points,
                            uint64_t seed, size_t& ran) {
  const auto may_pack = kernel_template.may_pack(layer.workload, layer.data);
  const ConfigSpace space = kernel_template.space(layer.workload, device);
  ran = 0;
  for (const size_t point : points) {
    const Schedule schedule = space.schedule(point);
    ASSERT_EQ(packs(layer, schedule), may_pack(schedule)) << to_text(schedule);
    if (!may_pack(schedule)) continue;
    ++ran;
    expect_exact(simulator, device, layer, schedule, seed);
    if (testing::Test::HasFatalFailure()) return;
  }
}

/// Checks all schedules of a layer; `shape` is a workload's text without facts.
inline void expect_every_schedule_exact(const KernelTemplate& kernel_template, Simulator& simulator,
                                        const Device& device, const std::string& shape,
                                        Scales scales, uint64_t seed, size_t& ran) {
  const RandomLayer layer = random_layer(*parse_workload(shape + " lane1 long"), scales, seed);
  ASSERT_TRUE(kernel_template.supports(layer.workload, device)) << shape;
  std::vector<size_t> points(kernel_template.space(layer.workload, device).size());
  std::iota(points.begin(), points.end(), size_t{0});
  expect_schedules_exact(kernel_template, simulator, device, layer, points, seed, ran);
}

}  // namespace tinytune
