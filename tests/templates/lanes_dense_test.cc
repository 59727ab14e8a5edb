// Lane-packed dense layers of all templates: every schedule, with inputs that drive lanes to their
// limits.

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>

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

// Returns inputs that make every product of one channel largest, or every one smallest.
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

using Names = std::set<std::string>;
const Names kInAssembly = {"pairs_dense", "sorted_dense", "quads_dense"};
const Names kAll = {"lanes_dense", "pairs_dense", "sorted_dense", "quads_dense"};

// Checks every schedule of these templates that packs. `seen`: the templates and requantisations.
void expect_all_exact(const Device& device, const Names& templates, const RandomLayer& layer,
                      uint64_t& seed, Names& seen) {
  auto simulator = Simulator::create(device);
  ASSERT_TRUE(simulator) << simulator.error().message();
  const ConfigSpace space = space_of(layer.workload, device);
  for (size_t point = 0; point < space.size(); ++point) {
    const Schedule schedule = space.schedule(point);
    const std::string& name = schedule.template_name();
    if (!templates.contains(name)) continue;
    if (schedule.has("sched") && schedule.get("sched") != "source") continue;
    if (!packs(layer, schedule)) continue;
    seen.insert(name + (schedule.has("scale") ? " by " + schedule.get("scale") : ""));
    seen.insert(name + " " + std::string(name_of(layer.workload.facts.requantise)));
    if (schedule.has("longest")) seen.insert(name + " of " + schedule.get("longest"));
    expect_exact(*simulator, device, layer, schedule, ++seed);
    expect_exact_on(*simulator, device, layer, schedule, extreme_inputs(layer, ++seed));
  }
}

TEST(LanesDense, MayPack_IsTrueOfWhatPacks) {
  const auto device = load_device("rv32imc");
  ASSERT_TRUE(device) << device.error().message();
  const RandomLayer layer = dense(
      "dense_s8 nhwc n1 in1x1x128 out1x1x96 k1x1 s1x1 d1x1 p0,0 g1 m1 zp-128,-128 act-128,127 "
      "lane1 long",
      40, 77);
  const ConfigSpace space = space_of(layer.workload, *device);
  std::map<std::string, std::function<bool(const Schedule&)>> may_pack;
  int packed = 0, refused = 0;
  for (size_t point = 0; point < space.size(); ++point) {
    const Schedule schedule = space.schedule(point);
    if (!kInAssembly.contains(schedule.template_name())) continue;
    auto& of_template = may_pack[schedule.template_name()];
    if (!of_template)
      of_template = (*find_template(schedule))->may_pack(layer.workload, layer.data);
    const bool packs_it = packs(layer, schedule);
    EXPECT_EQ(of_template(schedule), packs_it) << to_text(schedule);
    ++(packs_it ? packed : refused);
  }
  EXPECT_GT(packed, 0);
  EXPECT_GT(refused, 0);
}

TEST(LanesDense, EverySchedule_ComputesTheReferencesBytes) {
  uint64_t seed = 300;
  Names seen;
  for (const char* name : {"rv32imc", "hazard3", "rp2040"}) {
    const auto device = load_device(name);
    ASSERT_TRUE(device) << device.error().message();
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
      expect_all_exact(*device, kAll, dense(shape, largest, ++seed), seed, seen);
      if (HasFatalFailure()) return;
    }
  }
  for (const char* name : {"lanes_dense", "pairs_dense by channel", "sorted_dense by channel",
                           "quads_dense by channel"})
    EXPECT_TRUE(seen.contains(name)) << name;
}

// One scale for all channels, and each kind of requantisation that the assembly ends in.
TEST(LanesDense, EveryEnd_ComputesTheReferencesBytes) {
  uint64_t seed = 400;
  Names seen;
  const auto device = load_device("rv32imc");
  ASSERT_TRUE(device) << device.error().message();
  for (const auto& [multiplier, shift, zero_point, rounding] :
       {std::tuple(1 << 30, -9, -128, Rounding::kTwice),  // fused
        {1518500250, -7, 40, Rounding::kTwice},           // short
        {1 << 30, -1, -3, Rounding::kTwice},              // short, with the least shift
        {1610612741, 0, 5, Rounding::kTwice},             // shifted
        {1518500250, 2, 96, Rounding::kTwice},
        {1518500251, -10, 40, Rounding::kHalfToEven}})  // stepped
    for (const bool alike : {true, false}) {
      RandomLayer layer = dense(
          "dense_s8 nhwc n1 in1x1x140 out1x1x20 k1x1 s1x1 d1x1 p0,0 g1 m1 zp-5,0 act-128,127 "
          "lane1 long",
          90, ++seed);
      layer.workload.output_zero_point = zero_point;
      layer.workload.rounding = rounding;
      for (size_t c = 0; c < layer.data.multiplier.size(); ++c) {
        layer.data.multiplier[c] = multiplier + (alike ? 0 : static_cast<int>(c) * 1000);
        layer.data.shift[c] = shift - (alike || c % 3 != 0 ? 0 : 1);
      }
      layer.workload.facts = prove_facts(layer.workload, layer.data);
      expect_all_exact(*device, kInAssembly, layer, seed, seen);
      if (HasFatalFailure()) return;
    }
  for (const char* name :
       {"pairs_dense fused", "pairs_dense short", "pairs_dense shifted", "pairs_dense stepped",
        "quads_dense fused", "quads_dense short", "quads_dense shifted", "pairs_dense by layer",
        "quads_dense by layer", "pairs_dense of 9", "quads_dense of 9", "sorted_dense fused",
        "sorted_dense short", "sorted_dense shifted", "sorted_dense stepped",
        "sorted_dense by layer", "sorted_dense of 9"})
    EXPECT_TRUE(seen.contains(name)) << name;
}

// Heavy channels between light ones: without sorting, every tile has the groups of a heavy one.
TEST(LanesDense, SortedChannels_HaveFewerGroups) {
  RandomLayer layer = dense(
      "dense_s8 nhwc n1 in1x1x128 out1x1x24 k1x1 s1x1 d1x1 p0,0 g1 m1 zp-128,-128 act-128,127 "
      "lane1 long",
      120, 78);
  for (size_t k = 0; k < layer.data.weights.size(); ++k)
    if (k / 128 % 2 == 0) layer.data.weights[k] /= 16;
  layer.workload.facts = prove_facts(layer.workload, layer.data);
  const auto device = load_device("rv32imc");
  auto simulator = Simulator::create(*device);
  const auto instructions = [&](const std::string& name) {
    Counts counts;
    expect_exact_on(*simulator, *device, layer,
                    *parse_schedule(name + "/1 pairs=6 longest=32 scale=channel"),
                    extreme_inputs(layer, 79), &counts);
    return counts.instructions;
  };
  EXPECT_LT(instructions("sorted_dense") * 20, instructions("pairs_dense") * 19);
}

// Portable C kernels and other cores have no such assembly.
TEST(LanesDense, AssemblyIsOfRiscvAlone) {
  const Workload w = *parse_workload(
      "dense_s8 nhwc n1 in1x1x64 out1x1x16 k1x1 s1x1 d1x1 p0,0 g1 m1 zp0,-128 act-128,127 lane8 "
      "fused");
  const auto templates_on = [&](const Device& device) {
    std::set<std::string> names;
    const ConfigSpace space = space_of(w, device);
    for (size_t f = 0; f < space.family_count(); ++f) names.insert(space.family(f).template_name);
    return names;
  };
  EXPECT_TRUE(templates_on(*load_device("rv32imc")).contains("pairs_dense"));
  for (const Device& device :
       {with_portable_kernels(*load_device("rv32imc")), *load_device("rp2040")}) {
    EXPECT_FALSE(templates_on(device).contains("pairs_dense"));
    EXPECT_FALSE(templates_on(device).contains("quads_dense"));
    EXPECT_TRUE(templates_on(device).contains("lanes_dense"));
  }
}

// An odd number of pairs behind the last full tile, and channel counts not divisible by four.
TEST(LanesDense, ChannelsAreWhatTheyAre) {
  uint64_t seed = 500;
  Names seen;
  for (const char* shape : {"dense_s8 nhwc n1 in1x1x2100 out1x1x6 k1x1 s1x1 d1x1 p0,0 g1 m1 zp1,-7 "
                            "act-128,127 lane1 long",
                            "dense_s8 nhwc n1 in1x1x1 out1x1x2 k1x1 s1x1 d1x1 p0,0 g1 m1 zp1,-7 "
                            "act-20,19 lane1 long",
                            "dense_s8 nhwc n1 in1x1x9 out1x1x4 k1x1 s1x1 d1x1 p0,0 g1 m1 zp1,-7 "
                            "act-128,127 lane1 long"})
    expect_all_exact(*load_device("rv32imc"), kInAssembly, dense(shape, 30, ++seed), seed, seen);
  EXPECT_TRUE(seen.contains("quads_dense by channel"));
}

}  // namespace
}  // namespace tinytune
