// Lane-packed dense layers: every schedule, with inputs that drive lanes to their ends.

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/rng.h"
#include "tests/templates/expect_exact.h"

namespace tinytune {
namespace {

// Bell-shaped weights, small enough for groups of several lengths in a tile.
RandomLayer dense(const char* shape, int largest, uint64_t seed) {
  RandomLayer layer = random_layer(*parse_workload(shape), Scales::kTypical, seed);
  for (int8_t& weight : layer.data.weights) weight = static_cast<int8_t>(weight * largest / 127);
  layer.workload.facts = prove_facts(layer.workload, layer.data);
  return layer;
}

// Every input is what the sign of some channel's weight makes a product largest by, or least.
std::vector<uint8_t> extreme_inputs(const RandomLayer& layer, uint64_t seed) {
  Rng rng(seed);
  const auto channel = rng.below(static_cast<uint64_t>(layer.workload.out_c));
  const bool largest = rng.below(2) == 0;
  std::vector<uint8_t> input;
  for (int k = 0; k < layer.workload.in_c; ++k) {
    const auto at = channel * static_cast<uint64_t>(layer.workload.in_c) + static_cast<uint64_t>(k);
    input.push_back((layer.data.weights[at] > 0) == largest ? 127 : 0x80);
  }
  return input;
}

TEST(LanesDense, EverySchedule_ComputesTheReferencesBytes) {
  uint64_t seed = 300;
  std::set<std::string> steps;
  for (const char* name : {"rv32imc", "hazard3", "rp2040"}) {
    const auto device = load_device(name);
    ASSERT_TRUE(device) << device.error().message();
    auto simulator = Simulator::create(*device);
    ASSERT_TRUE(simulator) << simulator.error().message();
    for (const auto& [shape, largest] :
         {std::pair("dense_s8 nhwc n1 in1x1x88 out1x1x40 k1x1 s1x1 d1x1 p0,0 g1 m1 zp-128,-128 "
                    "act-128,127 lane1 long",
                    60),
          {"dense_s8 nhwc n1 in1x1x72 out1x1x12 k1x1 s1x1 d1x1 p0,0 g1 m1 zp3,7 act-128,127 lane1 "
           "long",
           24},
          {"dense_s8 nhwc n1 in1x1x6 out1x1x20 k1x1 s1x1 d1x1 p0,0 g1 m1 zp-128,-128 act-128,127 "
           "lane1 long",
           127}}) {
      const RandomLayer layer = dense(shape, largest, ++seed);
      const ConfigSpace space = space_of(layer.workload, *device);
      for (size_t point = 0; point < space.size(); ++point) {
        const Schedule schedule = space.schedule(point);
        if (schedule.template_name() != "lanes_dense" || schedule.get("sched") != "source" ||
            !packs(layer, schedule))
          continue;
        steps.insert(schedule.get("step"));
        expect_exact(*simulator, *device, layer, schedule, ++seed);
        expect_exact_on(*simulator, *device, layer, schedule, extreme_inputs(layer, ++seed));
      }
      if (HasFatalFailure()) return;
    }
  }
  for (const char* step :
       {"1", "8", "1_assembly", "8_assembly", "2_4_assembly", "2_8_assembly", "4_8_assembly"})
    EXPECT_TRUE(steps.contains(step)) << step;
}

// Kernels as portable C, and other cores, have none.
TEST(LanesDense, AssemblyIsOfRiscvAlone) {
  const Workload w = *parse_workload(
      "dense_s8 nhwc n1 in1x1x64 out1x1x16 k1x1 s1x1 d1x1 p0,0 g1 m1 zp0,-128 act-128,127 lane8 "
      "fused");
  for (const Device& device :
       {with_portable_kernels(*load_device("rv32imc")), *load_device("rp2040")}) {
    const ConfigSpace space = space_of(w, device);
    for (size_t point = 0; point < space.size(); ++point) {
      const Schedule schedule = space.schedule(point);
      if (schedule.template_name() != "lanes_dense") continue;
      EXPECT_EQ(schedule.get("step").find("assembly"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace tinytune
