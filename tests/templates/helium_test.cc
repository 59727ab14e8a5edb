// Kernels with Helium against the reference operator, on shapes and constants of every kind that
// they treat differently, and what they cost.

#include <gtest/gtest.h>

#include <string>

#include "simulator/simulator.h"
#include "templates/kernel_template.h"
#include "tests/templates/every_schedule.h"
#include "tests/templates/random_layer.h"

namespace tinytune {
namespace {

constexpr const char* kConvs[] = {
    // Pixels of whole vectors, read where they are; channels that do not fill the last four.
    "conv2d_s8 nhwc n1 in5x5x16 out5x5x7 k1x1 s1x1 d1x1 p0,0 g1 m1 zp-128,-7 act-128,127",
    "conv2d_s8 nhwc n1 in1x2x16 out1x2x1 k1x1 s1x1 d1x1 p0,0 g1 m1 zp3,-128 act-128,127",
    // Staged by bytes, words and vectors; borders; activations within and beyond the zero point.
    "conv2d_s8 nhwc n1 in9x7x3 out5x4x6 k3x3 s2x2 d1x1 p1,1 g1 m1 zp5,-3 act-100,90",
    "conv2d_s8 nhwc n1 in7x5x20 out7x5x5 k3x3 s1x1 d1x1 p1,1 g1 m1 zp-128,7 act7,127",
    "conv2d_s8 nhwc n1 in12x9x1 out6x5x4 k10x4 s2x2 d1x1 p4,1 g1 m1 zp83,-128 act-128,127",
    "conv2d_s8 nhwc n1 in9x9x16 out9x9x3 k3x3 s1x1 d2x1 p2,1 g1 m1 zp-1,-128 act-128,127",
    "conv2d_s8 nhwc n1 in2x3x4 out1x1x2 k1x1 s3x3 d1x1 p0,0 g1 m1 zp127,-85 act-128,127",
    // Whole groups of channels, which several tiles can share; the last of those moves back.
    "conv2d_s8 nhwc n1 in5x7x24 out5x7x8 k3x3 s1x1 d1x1 p1,1 g1 m1 zp-128,9 act-128,127",
    // Runs of fewer bytes than a vector, an odd number of them.
    "conv2d_s8 nhwc n1 in7x6x13 out4x6x3 k2x1 s2x1 d1x1 p0,0 g1 m1 zp-1,-128 act-128,127",
    "conv2d_s8 nhwc n1 in7x6x5 out7x6x3 k3x1 s1x1 d1x1 p1,0 g1 m1 zp-1,-128 act-128,127",
    // Outputs of neighbouring pixels that offsets do not reach.
    "conv2d_s8 nhwc n1 in8x8x32 out4x4x130 k1x1 s2x2 d1x1 p0,0 g1 m1 zp-7,11 act-128,127",
    // Reductions that offsets do not reach along.
    "dense_s8 nhwc n1 in1x1x640 out1x1x18 k1x1 s1x1 d1x1 p0,0 g1 m1 zp-128,-128 act-128,127",
    "dense_s8 nhwc n1 in1x1x37 out1x1x7 k1x1 s1x1 d1x1 p0,0 g1 m1 zp-128,14 act-20,100"};

class HeliumTemplate : public testing::TestWithParam<Scales> {};

TEST_P(HeliumTemplate, EverySchedule_ComputesTheReferencesBytes) {
  const Device device = *load_device("cortex-m55");
  auto simulator = Simulator::create(device);
  ASSERT_TRUE(simulator) << simulator.error().message();
  uint64_t seed = 100;
  for (const char* shape : kConvs) {
    size_t packed = 0;
    expect_every_schedule_exact(kHeliumNhwc, *simulator, device, shape, GetParam(), ++seed, packed);
    if (HasFatalFailure()) return;
    EXPECT_GT(packed, 0u) << shape;
  }
}

INSTANTIATE_TEST_SUITE_P(Scales, HeliumTemplate,
                         testing::Values(Scales::kTypical, Scales::kOddChannels, Scales::kExtreme),
                         [](const auto& info) { return name_of(info.param); });

TEST(HeliumTemplates, Halves_AreRoundedAsTheReferenceRoundsThem) {
  const Device device = *load_device("cortex-m55");
  auto simulator = Simulator::create(device);
  ASSERT_TRUE(simulator) << simulator.error().message();
  for (const int least : {0, 1}) {
    const RandomLayer layer = layer_of_halves(16, least);
    std::vector<uint8_t> input(static_cast<size_t>(layer.workload.input_bytes()));
    for (size_t i = 0; i < input.size(); i += 16) input[i] = static_cast<uint8_t>(i / 16);
    const ConfigSpace space = kHeliumNhwc.space(layer.workload, device);
    for (size_t point = 0; point < space.size(); ++point) {
      const Schedule schedule = space.schedule(point);
      const bool right = schedule.get("shifts") == "right";
      EXPECT_EQ(packs(layer, schedule), least > 0 || !right) << to_text(schedule);
      if (packs(layer, schedule)) expect_exact_on(*simulator, device, layer, schedule, input);
    }
  }
}

uint64_t instructions_of(const char* offsets_and_limits) {
  const Device device = *load_device("cortex-m55");
  auto simulator = Simulator::create(device);
  const RandomLayer layer = random_layer(
      *parse_workload("conv2d_s8 nhwc n1 in25x5x64 out25x5x64 k1x1 s1x1 d1x1 p0,0 g1 m1 " +
                      std::string(offsets_and_limits) + " lane1 long"),
      Scales::kTypical, 7);
  const std::vector<uint8_t> input(static_cast<size_t>(layer.workload.input_bytes()), 0x81);
  Counts counts;
  expect_exact_on(*simulator, device, layer, kHeliumNhwc.default_schedule(layer.workload, device),
                  input, &counts);
  return counts.instructions;
}

TEST(HeliumTemplates, PointwiseOf64Channels_TakesFewInstructions) {
  EXPECT_LE(instructions_of("zp-128,-128 act-128,127"), 84'000u) << "with a ReLU";
  EXPECT_LE(instructions_of("zp-128,-7 act-128,127"), 88'000u) << "any activation";
}

TEST(HeliumTemplates, WithoutVectors_NothingIsSupported) {
  const Workload w = *parse_workload(kConvs[0] + std::string(" lane4 short"));
  EXPECT_TRUE(kHeliumNhwc.supports(w, *load_device("cortex-m85")));
  EXPECT_FALSE(kHeliumNhwc.supports(w, *load_device("cortex-m4")));
  EXPECT_FALSE(kHeliumNhwc.supports(w, with_portable_kernels(*load_device("cortex-m55"))));
}

// The default comes first in the order of kernels.inc, so untuned layers use vectors.
TEST(HeliumTemplates, UntunedLayers_UseVectors) {
  const Device device = *load_device("cortex-m55");
  for (const char* shape : kConvs)
    EXPECT_EQ(default_schedule_of(*parse_workload(shape + std::string(" lane4 short")), device)
                  ->template_name(),
              "helium_nhwc")
        << shape;
}

}  // namespace
}  // namespace tinytune
