// Random layers of some shapes on a core with lanes and one with SMLAD, for tests of every
// template.
#pragma once

#include <gtest/gtest.h>

#include <span>
#include <string>

#include "schedules/config_space.h"
#include "simulator/simulator.h"
#include "templates/kernel_template.h"
#include "tests/templates/random_layer.h"

namespace tinytune {

/// Calls check(simulator, device, layer, space of its schedules, seed) for every shape, which is a
/// workload's text without its facts; `facts` completes it.
template <typename Check>
void for_each_layer(std::span<const char* const> shapes, const std::string& facts, Check check) {
  for (const char* name : {"rv32imc", "cortex-m4"}) {
    const auto device = load_device(name);
    ASSERT_TRUE(device) << device.error().message();
    auto simulator = Simulator::create(*device);
    ASSERT_TRUE(simulator) << simulator.error().message();
    uint64_t seed = 0;
    for (const char* shape : shapes) {
      SCOPED_TRACE(shape);
      const auto workload = parse_workload(shape + facts);
      ASSERT_TRUE(workload) << workload.error().message();
      const RandomLayer layer = random_layer(*workload, Scales::kTypical, ++seed);
      check(*simulator, *device, layer, space_of(layer.workload, layer.data, *device), seed);
    }
  }
}

}  // namespace tinytune
