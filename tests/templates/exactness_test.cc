// Every template against the reference operator, through the whole path: lower, LLVM, link, run.
//
// The shapes are ragged on purpose: prime extents, kernels larger than tiles, strides that leave
// inputs unread, padding on one side only.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "simulator/simulator.h"
#include "templates/kernel_template.h"
#include "tests/templates/expect_exact.h"
#include "tests/templates/random_layer.h"

namespace tinytune {
namespace {

struct Case {
  const char* workload;
  int samples;  ///< random points of the space besides the default
};

// zp, clamps and facts vary too; facts are replaced by what the random weights prove.
const Case kCases[] = {
    {"conv2d_s8 nhwc n1 in5x5x8 out5x5x8 k1x1 s1x1 d1x1 p0,0 g1 m1 zp-128,-128 act-128,127 lane1 "
     "long",
     6},
    {"conv2d_s8 nhwc n1 in9x7x3 out5x4x6 k3x3 s2x2 d1x1 p1,1 g1 m1 zp5,-3 act-100,90 lane1 long",
     5},
    {"conv2d_s8 nhwc n2 in7x7x4 out7x7x5 k3x3 s1x1 d1x1 p1,1 g1 m1 zp-128,7 act-128,127 lane1 long",
     5},
    {"conv2d_s8 nhwc n1 in11x13x2 out4x5x7 k5x4 s2x2 d1x1 p0,0 g1 m1 zp0,0 act-128,127 lane1 long",
     4},
    {"conv2d_s8 nhwc n1 in12x9x1 out6x5x4 k10x4 s2x2 d1x1 p4,1 g1 m1 zp83,-128 act-128,127 lane1 "
     "long",
     5},
    {"conv2d_s8 nhwc n1 in9x9x4 out9x9x4 k3x3 s1x1 d2x2 p2,2 g1 m1 zp-1,-128 act-128,127 lane1 "
     "long",
     4},
    {"conv2d_s8 nhwc n1 in9x11x3 out9x11x5 k3x3 s1x1 d1x3 p1,3 g1 m1 zp7,-128 act-128,127 lane1 "
     "long",
     6},
    {"conv2d_s8 nhwc n1 in11x12x6 out6x4x4 k2x3 s2x3 d3x2 p2,1 g1 m1 zp-128,5 act-100,90 lane1 "
     "long",
     6},
    {"conv2d_s8 nhwc n1 in1x17x5 out1x9x4 k1x3 s1x1 d1x4 p0,0 g1 m1 zp9,-4 act-128,127 lane1 long",
     6},
    {"conv2d_s8 nhwc n1 in6x6x8 out6x6x12 k3x3 s1x1 d1x1 p1,1 g4 m1 zp3,-128 act-128,127 lane1 "
     "long",
     4},
    // Groups: pairs of channels across words, single ones, borders, and pixels that touch.
    {"conv2d_s8 nhwc n1 in7x6x16 out7x6x10 k3x3 s1x1 d1x1 p1,1 g2 m1 zp-128,-128 act-128,127 lane1 "
     "long",
     8},
    {"conv2d_s8 nhwc n1 in9x8x9 out4x3x12 k3x2 s2x2 d1x2 p1,0 g3 m1 zp7,-3 act-100,90 lane1 long",
     8},
    {"conv2d_s8 nhwc n1 in5x7x20 out5x7x4 k1x1 s1x1 d1x1 p0,0 g4 m1 zp-5,11 act-128,127 lane1 long",
     8},
    {"conv2d_s8 nhwc n1 in8x8x5 out4x4x3 k1x1 s2x2 d1x1 p0,0 g1 m1 zp-7,11 act-128,127 lane1 long",
     3},
    {"conv2d_s8 nhwc n1 in1x17x3 out1x17x13 k1x8 s1x1 d1x1 p0,3 g1 m1 zp1,-128 act-128,127 lane1 "
     "long",
     3},
    {"conv2d_s8 nhwc n1 in2x3x4 out1x1x2 k1x1 s3x3 d1x1 p0,0 g1 m1 zp127,-85 act-128,127 lane1 "
     "long",
     6},
    // 3x3 of stride 1, odd extents, ragged channels, borders on any side or none.
    {"conv2d_s8 nhwc n1 in7x7x8 out7x7x12 k3x3 s1x1 d1x1 p1,1 g1 m1 zp-128,-128 act-128,127 lane1 "
     "long",
     8},
    {"conv2d_s8 nhwc n1 in9x13x5 out7x11x7 k3x3 s1x1 d1x1 p0,0 g1 m1 zp17,-9 act-100,90 lane1 long",
     8},
    {"conv2d_s8 nhwc n1 in6x8x3 out6x6x4 k3x3 s1x1 d1x1 p2,0 g1 m1 zp5,3 act-128,127 lane1 long",
     6},
    {"conv2d_s8 nhwc n1 in2x2x6 out2x2x5 k3x3 s1x1 d1x1 p1,1 g1 m1 zp-1,0 act-128,127 lane1 long",
     6},
    {"conv2d_s8 nhwc n1 in4x5x1 out4x5x2 k3x3 s1x1 d1x1 p1,1 g1 m1 zp127,0 act-128,127 lane1 long",
     6},
    {"depthwise_conv2d_s8 nhwc n1 in7x5x8 out7x5x8 k3x3 s1x1 d1x1 p1,1 g1 m1 zp-128,-128 "
     "act-128,127 lane1 long",
     8},
    {"depthwise_conv2d_s8 nhwc n2 in9x9x3 out5x5x3 k3x3 s2x2 d1x1 p1,1 g1 m1 zp4,9 act-128,127 "
     "lane1 long",
     4},
    {"depthwise_conv2d_s8 nhwc n1 in9x7x2 out9x7x6 k3x5 s1x1 d1x1 p1,2 g1 m3 zp-5,-128 act-128,127 "
     "lane1 long",
     4},
    {"depthwise_conv2d_s8 nhwc n1 in15x1x4 out1x1x4 k15x1 s1x1 d1x1 p0,0 g1 m1 zp-9,5 act-128,127 "
     "lane1 long",
     3},
    {"depthwise_conv2d_s8 nhwc n1 in8x20x3 out8x20x3 k8x20 s1x1 d1x1 p3,9 g1 m1 zp-9,5 act-128,127 "
     "lane1 long",
     3},
    {"depthwise_conv2d_s8 nhwc n1 in11x11x2 out11x11x2 k3x3 s1x1 d2x2 p2,2 g1 m1 zp0,0 act-128,127 "
     "lane1 long",
     3},
    {"conv2d_s8 nchw n1 in5x5x8 out5x5x8 k1x1 s1x1 d1x1 p0,0 g1 m1 zp-128,-128 act-128,127 lane1 "
     "long",
     5},
    {"conv2d_s8 nchw n1 in9x7x3 out5x4x6 k3x3 s2x2 d1x1 p1,1 g1 m1 zp5,-3 act-100,90 lane1 long",
     6},
    {"conv2d_s8 nchw n2 in7x7x4 out7x7x5 k3x3 s1x1 d1x1 p1,1 g1 m1 zp-128,7 act-128,127 lane1 long",
     6},
    {"conv2d_s8 nchw n1 in11x13x2 out4x5x7 k5x4 s2x2 d1x1 p0,0 g1 m1 zp0,0 act-128,127 lane1 long",
     4},
    {"conv2d_s8 nchw n1 in12x9x1 out6x5x4 k10x4 s2x2 d1x1 p4,1 g1 m1 zp83,-128 act-128,127 lane1 "
     "long",
     4},
    {"conv2d_s8 nchw n1 in9x9x4 out9x9x4 k3x3 s1x1 d2x2 p2,2 g1 m1 zp-1,-128 act-128,127 lane1 "
     "long",
     5},
    {"conv2d_s8 nchw n1 in6x6x8 out6x6x12 k3x3 s1x1 d1x1 p1,1 g4 m1 zp3,-128 act-128,127 lane1 "
     "long",
     4},
    {"conv2d_s8 nchw n1 in8x8x5 out4x4x3 k1x1 s2x2 d1x1 p0,0 g1 m1 zp-7,11 act-128,127 lane1 long",
     3},
    {"conv2d_s8 nchw n1 in1x17x3 out1x17x13 k1x8 s1x1 d1x1 p0,3 g1 m1 zp1,-128 act-128,127 lane1 "
     "long",
     3},
    {"conv2d_s8 nchw n1 in4x8x4 out4x8x3 k1x9 s1x1 d1x1 p0,4 g1 m1 zp1,-128 act-128,127 lane1 long",
     3},
    {"depthwise_conv2d_s8 nchw n1 in7x5x8 out7x5x8 k3x3 s1x1 d1x1 p1,1 g1 m1 zp-128,-128 "
     "act-128,127 lane1 long",
     6},
    {"depthwise_conv2d_s8 nchw n2 in9x9x3 out5x5x3 k3x3 s2x2 d1x1 p1,1 g1 m1 zp4,9 act-128,127 "
     "lane1 long",
     4},
    {"depthwise_conv2d_s8 nchw n1 in9x7x2 out9x7x6 k3x5 s1x1 d1x1 p1,2 g1 m3 zp-5,-128 act-128,127 "
     "lane1 long",
     4},
    {"depthwise_conv2d_s8 nchw n1 in15x1x4 out1x1x4 k15x1 s1x1 d1x1 p0,0 g1 m1 zp-9,5 act-128,127 "
     "lane1 long",
     3},
    {"depthwise_conv2d_s8 nchw n1 in8x20x3 out8x20x3 k8x20 s1x1 d1x1 p3,9 g1 m1 zp-9,5 act-128,127 "
     "lane1 long",
     3},
    {"depthwise_conv2d_s8 nchw n1 in11x11x2 out11x11x2 k3x3 s1x1 d2x2 p2,2 g1 m1 zp0,0 act-128,127 "
     "lane1 long",
     3},
    {"dense_s8 nhwc n1 in1x1x64 out1x1x12 k1x1 s1x1 d1x1 p0,0 g1 m1 zp-128,14 act-128,127 lane1 "
     "long",
     5},
    {"dense_s8 nhwc n3 in1x1x37 out1x1x7 k1x1 s1x1 d1x1 p0,0 g1 m1 zp-128,14 act-128,127 lane1 "
     "long",
     4},
};

// Returns whether a layer's constants may refuse the schedule.
bool asks_for_a_proof(const Schedule& schedule) {
  return (*find_template(schedule))->may_pack != nullptr ||
         schedule.template_name().starts_with("smlad_dense_by_layer") ||
         (schedule.has("right") && schedule.get("right") != "0") ||
         to_text(schedule).find("weights=joined") != std::string::npos;  // sums of 24 bits
}

using Parameters = std::tuple<const char*, Scales>;  // device, scales

class EveryTemplate : public ::testing::TestWithParam<Parameters> {};

TEST_P(EveryTemplate, ComputesTheReferencesBytesOnRaggedShapes) {
  const auto [device_name, scales] = GetParam();
  const auto device = load_device(device_name);
  ASSERT_TRUE(device) << device.error().message();
  auto simulator = Simulator::create(*device);
  ASSERT_TRUE(simulator) << simulator.error().message();
  uint64_t seed = 1;
  for (const Case& c : kCases) {
    const auto shape = parse_workload(c.workload);
    ASSERT_TRUE(shape) << shape.error().message();
    const RandomLayer layer = random_layer(*shape, scales, ++seed);
    const ConfigSpace space = space_of(layer.workload, *device);
    ASSERT_GT(space.size(), 0u);
    const auto defaults = default_schedules_of(layer.workload, *device);
    const auto usual = std::find_if(defaults.begin(), defaults.end(),
                                    [&](const Schedule& s) { return packs(layer, s); });
    ASSERT_NE(usual, defaults.end());
    EXPECT_TRUE(space.find(*usual)) << to_text(*usual) << " is not in its own space";
    expect_exact(*simulator, *device, layer, *usual, seed);
    Rng rng(seed);
    // Scales change only what follows the sums, which typical scales have tested.
    const int samples = scales == Scales::kTypical ? c.samples : (c.samples + 3) / 4;
    for (int i = 0; i < samples; ++i) {
      // Every template in turn, however small its part of the space.
      size_t point = rng.below(space.size());
      while (space.family_of(point) != static_cast<size_t>(i) % space.family_count())
        point = rng.below(space.size());
      const Schedule schedule = space.schedule(point);
      if (packs(layer, schedule))
        expect_exact(*simulator, *device, layer, schedule, seed);
      else  // refused here, but covered by the template's own tests
        EXPECT_TRUE(asks_for_a_proof(schedule)) << to_text(schedule);
    }
    if (HasFatalFailure()) return;
  }
}

std::string name_of_case(const ::testing::TestParamInfo<Parameters>& info) {
  std::string name = std::get<0>(info.param);
  name.erase(std::remove(name.begin(), name.end(), '-'), name.end());
  return name + name_of(std::get<1>(info.param));
}

INSTANTIATE_TEST_SUITE_P(
    Devices, EveryTemplate,
    ::testing::Combine(::testing::Values("rv32imc", "cortex-m4", "rp2040", "cortex-m55"),
                       ::testing::Values(Scales::kTypical, Scales::kOddChannels, Scales::kExtreme)),
    name_of_case);

// Scaled sums within a zero point of the ends of int32, where adding it would wrap.
RandomLayer layer_at_the_ends(Workload w) {
  constexpr int32_t kBias[] = {33'554'431, -33'554'431, 33'554'432, -33'554'432, 0, 1};
  constexpr int32_t kJustBelowOne = INT32_MAX - 1;  // in units of 2^-31
  LayerData data;
  data.weights.assign(static_cast<size_t>(w.weight_bytes()), 0);
  for (int c = 0; c < w.out_c; ++c) {
    data.bias.push_back(kBias[c % 6]);
    data.multiplier.push_back(kJustBelowOne);
    data.shift.push_back(6);
  }
  w.facts = prove_facts(w, data);
  return {w, data};
}

void scale_sums_at_the_ends(const char* name) {
  const auto device = load_device(name);
  ASSERT_TRUE(device) << device.error().message();
  auto simulator = Simulator::create(*device);
  ASSERT_TRUE(simulator) << simulator.error().message();
  for (const char* shape :
       {"conv2d_s8 nhwc n1 in3x3x4 out3x3x6 k1x1 s1x1 d1x1 p0,0 g1 m1 ",
        "conv2d_s8 nchw n1 in3x3x4 out3x3x6 k1x1 s1x1 d1x1 p0,0 g1 m1 ",
        "depthwise_conv2d_s8 nhwc n1 in4x4x6 out4x4x6 k3x3 s1x1 d1x1 p1,1 g1 m1 ",
        "depthwise_conv2d_s8 nchw n1 in4x4x6 out4x4x6 k3x3 s1x1 d1x1 p1,1 g1 m1 ",
        "dense_s8 nhwc n1 in1x1x8 out1x1x6 k1x1 s1x1 d1x1 p0,0 g1 m1 "})
    for (const char* offset : {"zp3,127", "zp3,-128"}) {
      const auto workload = parse_workload(std::string(shape) + offset + " act-128,127 lane1 long");
      ASSERT_TRUE(workload) << workload.error().message();
      const RandomLayer layer = layer_at_the_ends(*workload);
      const ConfigSpace space = space_of(layer.workload, *device);
      for (size_t point = 0; point < space.size(); ++point)
        if (point == 0 || space.family_of(point) != space.family_of(point - 1))
          expect_exact(*simulator, *device, layer, space.schedule(point), 1);
    }
}

TEST(KernelTemplates, ScaledSumsAtTheEndsOfInt32_AreClampedAndDoNotWrap) {
  for (const char* name : {"rv32imc", "rp2040"}) scale_sums_at_the_ends(name);
}

// A channel whose outputs are all equal, or whose scale is 1/2 or more, affects its own
// requantisation, not the choice of kernels for the whole layer.
TEST(KernelTemplates, OddChannels_KeepTheFastTemplates) {
  const auto workload = parse_workload(
      "conv2d_s8 nhwc n1 in8x8x16 out8x8x8 k3x3 s1x1 d1x1 p1,1 g1 m1 zp3,-5 act-128,127 lane1 "
      "long");
  ASSERT_TRUE(workload) << workload.error().message();
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const RandomLayer odd = random_layer(*workload, Scales::kOddChannels, seed);
    EXPECT_NE(odd.workload.facts.requantise, Requantise::kLong) << "seed " << seed;
    const RandomLayer plain = random_layer(*workload, Scales::kTypical, seed);
    for (const char* name : {"rv32imc", "cortex-m4"}) {
      const Device device = *load_device(name);
      const ConfigSpace space = space_of(odd.workload, device);
      const ConfigSpace usual = space_of(plain.workload, device);
      ASSERT_EQ(space.family_count(), usual.family_count()) << name;
      EXPECT_GE(space.family_count(), 3u) << "direct, lanes or SMLAD, Winograd";
      for (size_t f = 0; f < space.family_count(); ++f)
        EXPECT_EQ(space.family(f).template_name, usual.family(f).template_name);
    }
  }
}

TEST(KernelTemplates, NamesAndVersionsAreDistinct) {
  const auto rows = kernel_templates();
  for (size_t i = 0; i < rows.size(); ++i)
    for (size_t j = i + 1; j < rows.size(); ++j)
      EXPECT_FALSE(std::string(rows[i].name) == rows[j].name && rows[i].version == rows[j].version);
}

TEST(KernelTemplates, EveryPointsDescriptionCountsAllItsMultiplies) {
  const auto device = load_device("rv32imc");
  ASSERT_TRUE(device);
  for (const Case& c : kCases) {
    const auto workload = parse_workload(c.workload);
    const ConfigSpace space = space_of(*workload, *device);
    for (size_t p = 0; p < space.size(); p += 1 + space.size() / 50) {
      const Schedule schedule = space.schedule(p);
      const LoopNest nest = (*find_template(schedule))->describe(*workload, schedule);
      int64_t steps = 1;
      for (const Loop& loop : nest.loops) steps *= loop.extent;
      // Recomputed pixels of a last, shifted tile make it more, never less.
      EXPECT_GE(static_cast<double>(steps) * nest.macs_per_step, nest.macs) << to_text(schedule);
      for (const Access& a : nest.accesses) EXPECT_EQ(a.strides.size(), nest.loops.size());
    }
  }
}

}  // namespace
}  // namespace tinytune
