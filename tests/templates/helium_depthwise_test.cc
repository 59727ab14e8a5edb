// Depthwise kernels with Helium against the reference operator, and what they cost.

#include <gtest/gtest.h>

#include <string>

#include "simulator/simulator.h"
#include "templates/kernel_template.h"
#include "tests/templates/every_schedule.h"
#include "tests/templates/random_layer.h"

namespace tinytune {
namespace {

constexpr const char* kWindows[] = {
    // Whole blocks of channels, and some that are not; borders on all sides.
    "depthwise_conv2d_s8 nhwc n1 in6x5x16 out6x5x16 k3x3 s1x1 d1x1 p1,1 g1 m1 zp-128,-128 "
    "act-128,127",
    "depthwise_conv2d_s8 nhwc n1 in7x9x5 out7x9x5 k3x3 s1x1 d1x1 p1,1 g1 m1 zp5,-3 act-100,90",
    "depthwise_conv2d_s8 nhwc n1 in5x4x40 out5x4x40 k1x3 s1x1 d1x1 p0,1 g1 m1 zp-7,11 act-128,127",
    // Strides, and activations beyond the zero point.
    "depthwise_conv2d_s8 nhwc n1 in9x8x21 out5x4x21 k3x3 s2x2 d1x1 p1,0 g1 m1 zp83,7 act7,127",
    "depthwise_conv2d_s8 nhwc n1 in12x1x18 out4x1x18 k4x1 s3x1 d1x1 p1,0 g1 m1 zp-7,11 act-128,127",
    // The largest window; a border on one side; none.
    "depthwise_conv2d_s8 nhwc n1 in8x6x32 out7x6x32 k4x2 s1x1 d1x1 p1,0 g1 m1 zp-1,-128 "
    "act-128,100",
    "depthwise_conv2d_s8 nhwc n1 in9x9x3 out7x7x3 k3x3 s1x1 d1x1 p0,0 g1 m1 zp127,0 act-128,127"};

TEST(HeliumDepthwise, EverySchedule_ComputesTheReferencesBytes) {
  const Device device = *load_device("cortex-m55");
  auto simulator = Simulator::create(device);
  ASSERT_TRUE(simulator) << simulator.error().message();
  uint64_t seed = 100;
  for (const char* shape : kWindows) {
    size_t ran = 0;
    expect_every_schedule_exact(kHeliumDepthwise, *simulator, device, shape, Scales::kTypical,
                                ++seed, ran);
    if (HasFatalFailure()) return;
    EXPECT_GT(ran, 0u) << shape;
  }
}

// Layers with left shifts get another template.
TEST(HeliumDepthwise, LeftShifts_AreRefused) {
  const Device device = *load_device("cortex-m55");
  const RandomLayer layer =
      random_layer(*parse_workload(kWindows[0] + std::string(" lane1 long")), Scales::kExtreme, 7);
  const Schedule schedule = kHeliumDepthwise.default_schedule(layer.workload, device);
  EXPECT_FALSE(packs(layer, schedule));
  EXPECT_FALSE(kHeliumDepthwise.may_pack(layer.workload, layer.data)(schedule));
  const auto other = permitted_default_of(layer.workload, layer.data, device);
  ASSERT_TRUE(other) << other.error().message();
  EXPECT_NE(other->schedule.template_name(), kHeliumDepthwise.name);
}

TEST(HeliumDepthwise, WindowsOrCoresThatItDoesNotKnow_AreUnsupported) {
  const auto supports = [](const char* text, const char* device) {
    return kHeliumDepthwise.supports(*parse_workload(text + std::string(" lane1 long")),
                                     *load_device(device));
  };
  EXPECT_TRUE(supports(kWindows[0], "cortex-m85"));
  EXPECT_FALSE(supports(kWindows[0], "cortex-m4"));
  EXPECT_FALSE(
      supports("depthwise_conv2d_s8 nhwc n1 in8x8x16 out8x8x16 k5x5 s1x1 d1x1 p2,2 g1 m1 "
               "zp0,0 act-128,127",
               "cortex-m55"));
  EXPECT_FALSE(
      supports("depthwise_conv2d_s8 nhwc n1 in8x8x16 out8x8x16 k3x3 s1x1 d2x2 p2,2 g1 m1 "
               "zp0,0 act-128,127",
               "cortex-m55"));
}

// 8,000 outputs of 9 products; CMSIS-NN with Helium takes 164,329.
TEST(HeliumDepthwise, UntunedLayerOf64Channels_TakesFewInstructions) {
  const Device device = *load_device("cortex-m55");
  auto simulator = Simulator::create(device);
  ASSERT_TRUE(simulator) << simulator.error().message();
  const RandomLayer layer = random_layer(
      *parse_workload("depthwise_conv2d_s8 nhwc n1 in25x5x64 out25x5x64 k3x3 s1x1 d1x1 p1,1 g1 m1 "
                      "zp-128,-128 act-128,127 lane1 long"),
      Scales::kTypical, 7);
  const auto usual = permitted_default_of(layer.workload, layer.data, device);
  ASSERT_TRUE(usual) << usual.error().message();
  EXPECT_EQ(usual->schedule.template_name(), kHeliumDepthwise.name);
  const std::vector<uint8_t> input(static_cast<size_t>(layer.workload.input_bytes()), 0x81);
  Counts counts;
  expect_exact_on(*simulator, device, layer, usual->schedule, input, &counts);
  EXPECT_LE(counts.instructions, 46'500u);
}

}  // namespace
}  // namespace tinytune
