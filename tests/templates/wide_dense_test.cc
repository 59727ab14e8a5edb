// Dense layers with lanes as wide as whole sums: many schedules, at the limits of what lanes hold.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "tests/templates/expect_exact.h"

namespace tinytune {
namespace {

constexpr const char* kWideDenseName = "wide_dense";

// Weights up to `largest`, one scale for the layer or one a channel, and outputs that clamp at
// zero, whose requantisation is fused.
RandomLayer wide_layer(const char* shape, int largest, bool alike, uint64_t seed) {
  RandomLayer layer = random_layer(*parse_workload(shape), Scales::kTypical, seed);
  for (int8_t& weight : layer.data.weights) weight = static_cast<int8_t>(weight * largest / 127);
  for (size_t c = 0; c < layer.data.multiplier.size(); ++c) {
    layer.data.multiplier[c] = (1 << 30) + (alike ? 0 : static_cast<int>(c) * 1000);
    layer.data.shift[c] = -9;
  }
  layer.workload.facts = prove_facts(layer.workload, layer.data);
  return layer;
}

// Returns inputs that drive a channel's sum to one of its limits.
std::vector<uint8_t> inputs_at_an_end(const RandomLayer& layer, size_t channel, bool highest) {
  std::vector<uint8_t> input;
  for (size_t k = 0; k < static_cast<size_t>(layer.workload.in_c); ++k) {
    const int8_t weight =
        layer.data.weights[channel * static_cast<size_t>(layer.workload.in_c) + k];
    input.push_back((weight > 0) == highest ? 127 : 0x80);
  }
  return input;
}

ConfigSpace space_of_template(const Workload& w, const Device& device) {
  return (*find_template(Schedule(kWideDenseName, 1, {})))->space(w, device);
}

TEST(WideDense, EveryKnob_ComputesTheReferencesBytes) {
  const Device device = *load_device("rv32imc");
  auto simulator = Simulator::create(device);
  ASSERT_TRUE(simulator) << simulator.error().message();
  std::set<std::string> values;
  uint64_t seed = 900;
  // Channels that tiles do not divide, an odd reduction, and a tile that is the whole layer.
  for (const auto& [shape, largest] :
       {std::pair("dense_s8 nhwc n1 in1x1x64 out1x1x50 k1x1 s1x1 d1x1 p0,0 g1 m1 zp0,-128 "
                  "act-128,127 lane1 long",
                  100),
        {"dense_s8 nhwc n1 in1x1x33 out1x1x8 k1x1 s1x1 d1x1 p0,0 g1 m1 zp-9,-128 act-128,127 "
         "lane1 long",
         60},
        {"dense_s8 nhwc n1 in1x1x8 out1x1x3 k1x1 s1x1 d1x1 p0,0 g1 m1 zp-128,-128 act-128,90 "
         "lane1 long",
         127}})
    for (const bool alike : {true, false}) {
      const RandomLayer layer = wide_layer(shape, largest, alike, ++seed);
      ASSERT_EQ(layer.workload.facts.requantise, Requantise::kFused) << shape;
      const ConfigSpace space = space_of_template(layer.workload, device);
      Rng rng(seed);
      for (int i = 0; i < 60; ++i) {
        const Schedule schedule = space.schedule(rng.below(space.size()));
        if (!packs(layer, schedule)) continue;
        const size_t channel = rng.below(static_cast<uint64_t>(layer.workload.out_c));
        expect_exact(*simulator, device, layer, schedule, ++seed);
        for (const bool highest : {false, true})
          expect_exact_on(*simulator, device, layer, schedule,
                          inputs_at_an_end(layer, channel, highest));
        if (HasFatalFailure()) return;
        for (const auto& [knob, value] : schedule.knobs()) values.insert(knob + "=" + value);
      }
    }
  for (const char* value : {"scale=layer", "scale=channel", "step=1", "step=2", "step=4", "step=8"})
    EXPECT_TRUE(values.contains(value)) << value;
}

TEST(WideDense, SumsBeyondTheLane_AreRefused) {
  const Device device = *load_device("rv32imc");
  const RandomLayer layer = wide_layer(
      "dense_s8 nhwc n1 in1x1x256 out1x1x16 k1x1 s1x1 d1x1 p0,0 g1 m1 zp0,-128 act-128,127 lane1 "
      "long",
      127, true, 3);
  ASSERT_EQ(layer.workload.facts.requantise, Requantise::kFused);
  const auto owner = *find_template(Schedule(kWideDenseName, 1, {}));
  const auto refused = owner->pack(
      layer.workload, layer.data,
      Schedule(kWideDenseName, 1,
               {{"channels", "15"}, {"words", "8"}, {"step", "8"}, {"scale", "layer"}}));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kUnsupported);
  EXPECT_EQ(refused.error().message(), "sums may take more than a lane's 17 bits");
}

TEST(WideDense, ChannelsOfSeveralScales_HaveNoneOfTheLayer) {
  const Device device = *load_device("rv32imc");
  const RandomLayer layer = wide_layer(
      "dense_s8 nhwc n1 in1x1x16 out1x1x16 k1x1 s1x1 d1x1 p0,0 g1 m1 zp0,-128 act-128,127 lane1 "
      "long",
      60, false, 5);
  const auto owner = *find_template(Schedule(kWideDenseName, 1, {}));
  const auto may_pack = owner->may_pack(layer.workload, layer.data);
  bool by_channel = false;
  const ConfigSpace space = space_of_template(layer.workload, device);
  for (size_t point = 0; point < space.size(); ++point) {
    const Schedule schedule = space.schedule(point);
    EXPECT_EQ(may_pack(schedule), packs(layer, schedule)) << to_text(schedule);
    EXPECT_FALSE(schedule.get("scale") == "layer" && may_pack(schedule)) << to_text(schedule);
    by_channel = by_channel || may_pack(schedule);
  }
  EXPECT_TRUE(by_channel);
}

}  // namespace
}  // namespace tinytune
