// Kernels with RVV against the reference operator, on shapes and constants of every kind that they
// treat differently, for vectors of several lengths, and what they cost.

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <tuple>

#include "simulator/simulator.h"
#include "templates/kernel_template.h"
#include "templates/lane_shifts.h"
#include "tests/templates/every_schedule.h"
#include "tests/templates/random_layer.h"

namespace tinytune {
namespace {

constexpr const char* kRvvConvs[] = {
    // Pixels that are read where they are; channels that do not fill the lanes, or the last tile.
    "conv2d_s8 nhwc n1 in5x5x16 out5x5x7 k1x1 s1x1 d1x1 p0,0 g1 m1 zp-128,-7 act-128,127",
    "conv2d_s8 nhwc n1 in7x5x19 out7x5x72 k1x1 s1x1 d1x1 p0,0 g1 m1 zp-128,-128 act-128,127",
    "conv2d_s8 nhwc n1 in1x2x16 out1x2x1 k1x1 s1x1 d1x1 p0,0 g1 m1 zp3,-128 act-128,127",
    // Staged; borders; activations within and beyond the zero point.
    "conv2d_s8 nhwc n1 in9x7x3 out5x4x6 k3x3 s2x2 d1x1 p1,1 g1 m1 zp5,-3 act-100,90",
    "conv2d_s8 nhwc n1 in7x5x20 out7x5x37 k3x3 s1x1 d1x1 p1,1 g1 m1 zp-128,7 act7,127",
    "conv2d_s8 nhwc n1 in12x9x1 out6x5x4 k10x4 s2x2 d1x1 p4,1 g1 m1 zp83,-128 act-128,127",
    "conv2d_s8 nhwc n1 in9x9x5 out9x9x3 k3x3 s1x1 d2x2 p2,2 g1 m1 zp-1,-128 act-128,127",
    "conv2d_s8 nhwc n1 in2x3x4 out1x1x2 k1x1 s3x3 d1x1 p0,0 g1 m1 zp127,-85 act-128,127",
    // Runs longer than eight registers; pixels that offsets reach from the middle only.
    "conv2d_s8 nhwc n1 in4x4x160 out2x2x33 k2x2 s2x2 d1x1 p0,0 g1 m1 zp-7,11 act-128,127",
    "dense_s8 nhwc n1 in1x1x640 out1x1x18 k1x1 s1x1 d1x1 p0,0 g1 m1 zp-128,-128 act-128,127",
    "dense_s8 nhwc n1 in1x1x37 out1x1x130 k1x1 s1x1 d1x1 p0,0 g1 m1 zp-128,14 act-20,100"};

constexpr const char* kDepthwise[] = {
    "depthwise_conv2d_s8 nhwc n1 in9x7x8 out9x7x8 k3x3 s1x1 d1x1 p1,1 g1 m1 zp-128,-5 act-128,127",
    "depthwise_conv2d_s8 nhwc n1 in9x7x37 out5x4x37 k3x3 s2x2 d1x1 p1,1 g1 m1 zp5,-128 act-128,127",
    "depthwise_conv2d_s8 nhwc n1 in4x8x36 out4x8x36 k1x1 s1x1 d1x1 p0,0 g1 m1 zp-128,-7 act-128,127",
    "depthwise_conv2d_s8 nhwc n1 in6x6x130 out4x4x130 k3x3 s1x1 d1x1 p0,0 g1 m1 zp1,3 act-90,80",
    "depthwise_conv2d_s8 nhwc n1 in9x9x3 out9x9x3 k3x3 s1x1 d2x2 p2,2 g1 m1 zp-1,9 act9,127",
    "depthwise_conv2d_s8 nhwc n1 in8x3x70 out1x3x70 k8x1 s1x1 d1x1 p0,0 g1 m1 zp7,0 act-128,127"};

Device device_of(int vector_bits) {
  Device device = *load_device("rv32imc_zve32x");
  device.target.vector_bits = static_cast<uint32_t>(vector_bits);
  return device;
}

// Returns all points of a small space, and random ones of a larger space.
std::set<size_t> some_points(size_t size, size_t most, uint64_t seed) {
  Rng rng(seed);
  std::set<size_t> points;
  for (size_t i = 0; i < std::min(size, most); ++i)
    points.insert(size <= most ? i : rng.below(size));
  return points;
}

void expect_exact_schedules(const KernelTemplate& row, const std::string& shape, Scales scales,
                            int vector_bits, uint64_t seed) {
  constexpr size_t kMost = 12;
  const Device device = device_of(vector_bits);
  auto simulator = Simulator::create(device);
  ASSERT_TRUE(simulator) << simulator.error().message();
  const RandomLayer layer = random_layer(*parse_workload(shape + " lane1 long"), scales, seed);
  ASSERT_TRUE(row.supports(layer.workload, device)) << shape;
  const ConfigSpace space = row.space(layer.workload, device);
  std::set<size_t> points = some_points(space.size(), kMost, seed);
  for (const Schedule& schedule : row.fallback_schedules(layer.workload, device))
    points.insert(space.find(schedule).value());
  points.insert(space.find(row.default_schedule(layer.workload, device)).value());
  size_t packed = 0;
  expect_schedules_exact(row, *simulator, device, layer, points, seed, packed);
  if (testing::Test::HasFatalFailure()) return;
  EXPECT_GT(packed, 0u) << shape;
}

class RvvTemplate : public testing::TestWithParam<std::tuple<int, Scales>> {
 protected:
  void expect_exact_shapes(const KernelTemplate& row, std::span<const char* const> shapes) {
    const auto [vector_bits, scales] = GetParam();
    uint64_t seed = 300 + static_cast<uint64_t>(vector_bits);
    for (const char* shape : shapes) {
      expect_exact_schedules(row, shape, scales, vector_bits, ++seed);
      if (HasFatalFailure()) return;
    }
  }
};

TEST_P(RvvTemplate, Convolutions_ComputeTheReferencesBytes) {
  expect_exact_shapes(kRvvNhwc, kRvvConvs);
}

TEST_P(RvvTemplate, DepthwiseConvolutions_ComputeTheReferencesBytes) {
  expect_exact_shapes(kRvvDepthwise, kDepthwise);
}

std::string name_of_vlen_and_scales(const testing::TestParamInfo<std::tuple<int, Scales>>& info) {
  const auto [vector_bits, scales] = info.param;
  return "Vlen" + std::to_string(vector_bits) + name_of(scales);
}
INSTANTIATE_TEST_SUITE_P(Vectors, RvvTemplate,
                         testing::Combine(testing::Values(64, 128, 512),
                                          testing::Values(Scales::kTypical, Scales::kOddChannels,
                                                          Scales::kExtreme)),
                         name_of_vlen_and_scales);

TEST(RvvTemplates, Halves_AreRoundedAsTheReferenceRoundsThem) {
  const Device device = device_of(128);
  auto simulator = Simulator::create(device);
  ASSERT_TRUE(simulator) << simulator.error().message();
  for (const int least : {0, 1}) {
    const RandomLayer layer = layer_of_halves(4, least);
    std::vector<uint8_t> input(static_cast<size_t>(layer.workload.input_bytes()));
    for (size_t i = 0; i < input.size(); i += 4) input[i] = static_cast<uint8_t>(i / 4);
    const ConfigSpace space = kRvvNhwc.space(layer.workload, device);
    for (const size_t point : some_points(space.size(), 40, 1)) {
      const Schedule schedule = space.schedule(point);
      const bool right = schedule.get("shifts") == "right";
      EXPECT_EQ(packs(layer, schedule), least > 0 || !right) << to_text(schedule);
      if (packs(layer, schedule)) expect_exact_on(*simulator, device, layer, schedule, input);
    }
  }
}

/// Returns the counts of a layer's default schedule.
Counts counts_of(const KernelTemplate& row, const Device& device, const std::string& workload) {
  auto simulator = Simulator::create(device);
  const RandomLayer layer = random_layer(*parse_workload(workload), Scales::kTypical, 7);
  const std::vector<uint8_t> input(static_cast<size_t>(layer.workload.input_bytes()), 0x81);
  Counts counts;
  expect_exact_on(*simulator, device, layer, row.default_schedule(layer.workload, device), input,
                  &counts);
  return counts;
}

uint64_t instructions_of(const KernelTemplate& row, const char* shape, int vector_bits) {
  return counts_of(row, device_of(vector_bits), shape + std::string(" lane1 long")).instructions;
}

// muRISCV-NN takes 696,465 and 455,441 for the first, 113,739 and 73,079 for the second.
TEST(RvvTemplates, LayersOf64Channels_TakeFewInstructions) {
  const char* pointwise =
      "conv2d_s8 nhwc n1 in25x5x64 out25x5x64 k1x1 s1x1 d1x1 p0,0 g1 m1 zp-128,-7 act-128,127";
  EXPECT_LE(instructions_of(kRvvNhwc, pointwise, 128), 60'000u);
  EXPECT_LE(instructions_of(kRvvNhwc, pointwise, 256), 45'000u);
  const char* depthwise =
      "depthwise_conv2d_s8 nhwc n1 in25x5x64 out25x5x64 k3x3 s1x1 d1x1 p1,1 g1 m1 zp-128,-128 "
      "act-128,127";
  EXPECT_LE(instructions_of(kRvvDepthwise, depthwise, 128), 30'000u);
}

double cycles_of_a_multiplication(const KernelTemplate& row, const char* shape) {
  const std::string workload = shape + std::string(" lane2 fused");
  return static_cast<double>(counts_of(row, *load_device("vicuna"), workload).cycles) /
         static_cast<double>(parse_workload(workload)->macs());
}

// The multiplier and the adder have separate pipes, so that neither waits long for the other: 128
// products of a pointwise layer take some 46 cycles, and each pipe is busy for 32.
TEST(RvvTemplates, LayersOf64ChannelsOnVicuna_TakeFewCycles) {
  const char* pointwise =
      "conv2d_s8 nhwc n1 in5x5x64 out5x5x64 k1x1 s1x1 d1x1 p0,0 g1 m1 zp-128,-128 act-128,127";
  EXPECT_LE(cycles_of_a_multiplication(kRvvNhwc, pointwise), 0.5);
  const char* depthwise =
      "depthwise_conv2d_s8 nhwc n1 in25x5x64 out25x5x64 k3x3 s1x1 d1x1 p1,1 g1 m1 zp-128,-128 "
      "act-128,127";
  EXPECT_LE(cycles_of_a_multiplication(kRvvDepthwise, depthwise), 1.6);
}

// The largest sums that fit 16 bits are exact, with the inputs that make them; larger ones are
// refused.
TEST(RvvTemplates, PairsOfProducts_FitSixteenBitsOrAreRefused) {
  const Device device = device_of(128);
  auto simulator = Simulator::create(device);
  ASSERT_TRUE(simulator) << simulator.error().message();
  RandomLayer layer = random_layer(
      *parse_workload("conv2d_s8 nhwc n1 in3x3x16 out3x3x24 k1x1 s1x1 d1x1 p0,0 g1 m1 zp-128,-7 "
                      "act-128,127 lane1 long"),
      Scales::kTypical, 9);
  const std::vector<uint8_t> lowest(static_cast<size_t>(layer.workload.input_bytes()), 0x80);
  const ConfigSpace space = kRvvNhwc.space(layer.workload, device);
  for (const int second : {-127, -128}) {
    layer.data.weights[0] = -128, layer.data.weights[1] = static_cast<int8_t>(second);
    size_t ran = 0;
    for (const size_t point : some_points(space.size(), 400, 1)) {
      const Schedule schedule = space.schedule(point);
      if (!schedule.get("weights").ends_with("pairs") ||
          !may_shift_as_asked(layer.workload, layer.data)(schedule))
        continue;
      EXPECT_EQ(packs(layer, schedule), second == -127) << to_text(schedule);
      if (!packs(layer, schedule) || ++ran > 4) continue;
      expect_exact_on(*simulator, device, layer, schedule, lowest);
    }
    EXPECT_EQ(ran > 0, second == -127);
  }
}

TEST(RvvTemplates, WithoutVectors_NothingIsSupported) {
  const Workload w = *parse_workload(kRvvConvs[0] + std::string(" lane4 short"));
  EXPECT_TRUE(kRvvNhwc.supports(w, *load_device("rv32imc_zve32x")));
  EXPECT_FALSE(kRvvNhwc.supports(w, *load_device("rv32imc")));
  EXPECT_FALSE(kRvvNhwc.supports(w, *load_device("cortex-m55")));
  EXPECT_FALSE(kRvvNhwc.supports(w, with_portable_kernels(*load_device("rv32imc_zve32x"))));
}

// The default comes first in the order of kernels.inc, so untuned layers use vectors.
TEST(RvvTemplates, UntunedLayers_UseVectors) {
  const Device device = device_of(128);
  const auto name = [&](const char* shape) {
    return default_schedule_of(*parse_workload(shape + std::string(" lane4 short")), device)
        ->template_name();
  };
  for (const char* shape : kRvvConvs) EXPECT_EQ(name(shape), "rvv_nhwc") << shape;
  for (const char* shape : kDepthwise) EXPECT_EQ(name(shape), "rvv_depthwise") << shape;
}

}  // namespace
}  // namespace tinytune
