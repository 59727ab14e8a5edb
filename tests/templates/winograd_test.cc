// Winograd's arithmetic on the host, and kernels at the ends of its ranges.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "base/rng.h"
#include "templates/kernel_template.h"
#include "templates/winograd/winograd_transforms.h"
#include "tests/templates/expect_exact.h"
#include "tests/templates/random_layer.h"

namespace tinytune {
namespace {

constexpr int kB[4][4] = {{1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, 0, -1}};
constexpr int kA[2][4] = {{1, 1, 1, 0}, {0, 1, -1, -1}};

int sum_of(const std::array<int, 9>& kernel, const std::array<int, 16>& patch, size_t y, size_t x) {
  int sum = 0;
  for (size_t tap = 0; tap < 9; ++tap) sum += kernel[tap] * patch[4 * (y + tap / 3) + x + tap % 3];
  return sum;
}

TEST(WinogradTransforms, GiveFourTimesTheSumsAndFitSixteenBits) {
  Rng rng(7);
  for (int round = 0; round < 500; ++round) {
    // Every third round at the ends of the range, where factors are widest.
    const auto any = [&] {
      return round % 3 == 0 ? (rng.below(2) == 0 ? -128 : 127)
                            : static_cast<int>(rng.below(256)) - 128;
    };
    std::array<int, 9> kernel;
    std::array<int, 16> patch;
    for (int& w : kernel) w = any();
    for (int& x : patch) x = any();
    const auto u = winograd_weights(2, kernel);
    std::array<int, 16> products;
    for (size_t i = 0; i < 4; ++i)
      for (size_t j = 0; j < 4; ++j) {
        int v = 0;
        for (size_t r = 0; r < 4; ++r)
          for (size_t c = 0; c < 4; ++c) v += kB[i][r] * patch[4 * r + c] * kB[j][c];
        EXPECT_LE(std::abs(v), 512);
        EXPECT_LE(std::abs(u[4 * i + j]), 1152);
        products[4 * i + j] = u[4 * i + j] * v;
      }
    for (size_t y = 0; y < 2; ++y)
      for (size_t x = 0; x < 2; ++x) {
        int four = 0;
        for (size_t i = 0; i < 4; ++i)
          for (size_t j = 0; j < 4; ++j) four += kA[y][i] * products[4 * i + j] * kA[x][j];
        EXPECT_EQ(four, 4 * sum_of(kernel, patch, y, x)) << "round " << round;
      }
  }
}

constexpr int kB4[6][6] = {{4, 0, -5, 0, 1, 0},  {0, -4, -4, 1, 1, 0}, {0, 4, -4, -1, 1, 0},
                           {0, -2, -1, 2, 1, 0}, {0, 2, -1, -2, 1, 0}, {0, 4, 0, -5, 0, 1}};
constexpr int kA4[4][6] = {
    {1, 1, 1, 1, 1, 0}, {0, 1, -1, 2, -2, 0}, {0, 1, 1, 4, 4, 0}, {0, 1, -1, 8, -8, 2}};

// Takes many channels, so that sums of products overflow a word.
TEST(Winograd4Transforms, GiveTheSumsModuloTwoToThe32AndFitSixteenBits) {
  Rng rng(11);
  for (int round = 0; round < 200; ++round) {
    const auto any = [&] {
      return round % 3 == 0 ? (rng.below(2) == 0 ? -128 : 127)
                            : static_cast<int>(rng.below(256)) - 128;
    };
    uint32_t products[36] = {};
    int64_t sums[16] = {};
    for (int channel = 0; channel < 200; ++channel) {
      std::array<int, 9> kernel;
      int patch[36];
      for (int& w : kernel) w = any();
      for (int& x : patch) x = any();
      const auto u = winograd_weights(4, kernel);
      for (size_t i = 0; i < 6; ++i)
        for (size_t j = 0; j < 6; ++j) {
          int v = 0;
          for (size_t r = 0; r < 6; ++r)
            for (size_t c = 0; c < 6; ++c) v += kB4[i][r] * patch[6 * r + c] * kB4[j][c];
          EXPECT_LE(std::abs(v), 12800);
          EXPECT_LE(std::abs(u[6 * i + j]), 18432);
          products[6 * i + j] += static_cast<uint32_t>(u[6 * i + j] * v);
        }
      for (size_t y = 0; y < 4; ++y)
        for (size_t x = 0; x < 4; ++x)
          for (size_t tap = 0; tap < 9; ++tap)
            sums[4 * y + x] += kernel[tap] * patch[6 * (y + tap / 3) + x + tap % 3];
    }
    for (size_t y = 0; y < 4; ++y)
      for (size_t x = 0; x < 4; ++x) {
        uint32_t scaled = 0;
        for (size_t i = 0; i < 6; ++i)
          for (size_t j = 0; j < 6; ++j)
            scaled += static_cast<uint32_t>(kA4[y][i] * kA4[x][j]) * products[6 * i + j];
        EXPECT_EQ(static_cast<int32_t>(scaled * kWinograd4Inverse) >> kWinograd4Shift,
                  sums[4 * y + x])
            << "round " << round;
      }
  }
}

const KernelTemplate& row_named(const std::string& name) {
  const auto rows = kernel_templates();
  return *std::find_if(rows.begin(), rows.end(),
                       [&](const KernelTemplate& t) { return t.name == name; });
}

const KernelTemplate& winograd() { return row_named("winograd_nhwc"); }

Workload layer(int in_c, const char* stride_and_pad) {
  const std::string c = std::to_string(in_c);
  auto w = parse_workload("conv2d_s8 nhwc n1 in6x6x" + c + " out6x6x4 k3x3 " + stride_and_pad +
                          " g1 m1 zp0,0 act-128,127 lane1 short");
  return *w;
}

TEST(WinogradTemplate, TakesOnlyWhatItComputesExactly) {
  const auto device = load_device("rv32imc");
  ASSERT_TRUE(device);
  Workload w = layer(8, "s1x1 d1x1 p1,1");
  EXPECT_TRUE(winograd().supports(w, *device));
  w.in_c = 3640;
  EXPECT_TRUE(winograd().supports(w, *device)) << "4 * 9 * 3640 * 2^14 < 2^31";
  w.in_c = 3641;
  EXPECT_FALSE(winograd().supports(w, *device));
  w = layer(8, "s1x1 d1x1 p1,1");
  w.stride_w = 2, w.out_w = 3;
  EXPECT_FALSE(winograd().supports(w, *device));
  w = layer(8, "s1x1 d1x1 p1,1");
  w.facts.requantise = Requantise::kLong;
  EXPECT_FALSE(winograd().supports(w, *device));
}

TEST(WinogradTemplate, ChannelsBeyondTheLastMeetWeightsOfZero) {
  const auto device = load_device("cortex-m4");
  ASSERT_TRUE(device);
  // Three input channels are two pairs;
  // four outputs in blocks of three are two blocks.
  const RandomLayer random = random_layer(layer(3, "s1x1 d1x1 p1,1"), Scales::kTypical, 3);
  const Schedule schedule(
      "winograd_nhwc", 1,
      {{"tiles", "2"}, {"oc", "3"}, {"step", "1"}, {"multiply", "smlad"}, {"sched", "source"}});
  const auto constants = winograd().pack(random.workload, random.data, schedule);
  ASSERT_TRUE(constants);
  const auto& weights = constants->front().bytes;
  ASSERT_EQ(weights.size(), 2u * 16 * 2 * 3 * 4);  // blocks, points, pairs, channels, bytes
  for (size_t point = 0; point < 16; ++point)
    for (size_t c = 0; c < 3; ++c) {
      const size_t second_pair = 4 * ((point * 2 + 1) * 3 + c);
      EXPECT_EQ(weights[second_pair + 2] | weights[second_pair + 3], 0) << "the fourth input";
      const size_t second_block = 4 * ((16 + point) * 2 * 3 + c);
      if (c > 0) {
        EXPECT_EQ(weights[second_block] | weights[second_block + 1], 0) << "beyond output 4";
      }
    }
}

const char* const kWinograd4Shapes[] = {
    // Squares that move back, borders of each side, blocks that are short, no border at all.
    ("conv2d_s8 nhwc n1 in9x11x8 out9x11x7 k3x3 s1x1 d1x1 p1,1 g1 m1 zp-128,-128 act-128,127 lane1 "
     "long"),
    "conv2d_s8 nhwc n1 in6x18x4 out4x16x8 k3x3 s1x1 d1x1 p0,0 g1 m1 zp7,3 act-128,127 lane1 long",
    "conv2d_s8 nhwc n1 in7x8x6 out5x6x5 k3x3 s1x1 d1x1 p0,0 g1 m1 zp-128,0 act-128,127 lane1 long",
    "conv2d_s8 nhwc n1 in8x9x15 out8x9x10 k3x3 s1x1 d1x1 p1,1 g1 m1 zp-5,0 act-128,127 lane1 long",
    "conv2d_s8 nhwc n1 in8x8x32 out8x8x12 k3x3 s1x1 d1x1 p1,1 g1 m1 zp127,-7 act-100,90 lane1 long",
};

class Winograd4Kernels : public testing::TestWithParam<const char*> {};

TEST_P(Winograd4Kernels, ComputeTheReferencesBytes) {
  const auto device = load_device(GetParam());
  ASSERT_TRUE(device) << device.error().message();
  auto simulator = Simulator::create(*device);
  ASSERT_TRUE(simulator) << simulator.error().message();
  uint64_t seed = 40;
  for (const char* shape : kWinograd4Shapes) {
    const RandomLayer layer = random_layer(*parse_workload(shape), Scales::kTypical, ++seed);
    const KernelTemplate& rows = row_named("winograd4_nhwc");
    ASSERT_TRUE(rows.supports(layer.workload, *device));
    const ConfigSpace space = rows.space(layer.workload, *device);
    Rng rng(seed);
    expect_exact(*simulator, *device, layer, rows.default_schedule(layer.workload, *device), seed);
    for (int tried = 0; tried < 5; ++tried)
      expect_exact(*simulator, *device, layer, space.schedule(rng.below(space.size())), ++seed);
    if (HasFatalFailure()) return;
  }
}

// Returns the factor that plain transformed weights lack at a point: kernels that transform weights
// from bytes multiply their sums by it.
int64_t factor_of(size_t point) {
  constexpr int64_t kFactors[] = {6, -4, -4, 1, 1, 12};
  return kFactors[point / 6] * kFactors[point % 6];
}

TEST(Winograd4Transforms, PlainWeightsFitFourteenBitsAndLackTheirFactors) {
  constexpr int kPlain[6][3] = {{1, 0, 0}, {1, 1, 1}, {1, -1, 1}, {1, 2, 4}, {1, -2, 4}, {0, 0, 1}};
  Rng rng(13);
  for (int round = 0; round < 200; ++round) {
    std::array<int, 9> kernel;
    for (int& w : kernel)
      w = round % 3 == 0 ? (rng.below(2) == 0 ? -128 : 127)
                         : static_cast<int>(rng.below(256)) - 128;
    const auto scaled = winograd_weights(4, kernel);
    for (size_t point = 0; point < 36; ++point) {
      int64_t plain = 0;
      for (size_t tap = 0; tap < 9; ++tap)
        plain += kPlain[point / 6][tap / 3] * kPlain[point % 6][tap % 3] * kernel[tap];
      EXPECT_LT(std::abs(plain), 1 << 13);
      EXPECT_EQ(plain * factor_of(point), scaled[point]);
    }
  }
}

class Winograd4BytesKernels : public testing::TestWithParam<const char*> {};

TEST_P(Winograd4BytesKernels, ComputeTheReferencesBytes) {
  const auto device = load_device(GetParam());
  ASSERT_TRUE(device) << device.error().message();
  auto simulator = Simulator::create(*device);
  ASSERT_TRUE(simulator) << simulator.error().message();
  uint64_t seed = 60;
  for (const char* shape : kWinograd4Shapes) {
    const RandomLayer layer = random_layer(*parse_workload(shape), Scales::kTypical, ++seed);
    const KernelTemplate& bytes = row_named("winograd4_bytes_nhwc");
    ASSERT_TRUE(bytes.supports(layer.workload, *device));
    const ConfigSpace space = bytes.space(layer.workload, *device);
    Rng rng(seed);
    for (const Schedule& schedule : default_schedules_of(bytes, layer.workload, *device)) {
      EXPECT_TRUE(space.find(schedule)) << to_text(schedule);
      expect_exact(*simulator, *device, layer, schedule, seed);
    }
    for (int tried = 0; tried < 5; ++tried)
      expect_exact(*simulator, *device, layer, space.schedule(rng.below(space.size())), ++seed);
    if (HasFatalFailure()) return;
  }
}

TEST(Winograd4BytesTemplate, FallsBackOnLessScratchAndMoreCycles) {
  const auto device = load_device("esp32c3");
  ASSERT_TRUE(device) << device.error().message();
  const KernelTemplate& bytes = row_named("winograd4_bytes_nhwc");
  const RandomLayer layer = random_layer(*parse_workload(kWinograd4Shapes[4]), Scales::kTypical, 1);
  int64_t last = std::numeric_limits<int64_t>::max();
  const auto schedules = default_schedules_of(bytes, layer.workload, *device);
  EXPECT_GE(schedules.size(), 4u);
  for (const Schedule& schedule : schedules) {
    const int64_t scratch = bytes.scratch_bytes(layer.workload, schedule);
    EXPECT_LT(scratch, last);
    last = scratch;
    const auto constants = bytes.pack(layer.workload, layer.data, schedule);
    ASSERT_TRUE(constants);
    EXPECT_EQ(constants->front().bytes.size(), 9u * 32 * 12);
  }
}

TEST(Winograd4BytesTemplate, IsForWeightsOfRv32BehindACache) {
  const Workload w = layer(8, "s1x1 d1x1 p1,1");
  for (const auto& [name, takes] :
       {std::pair("esp32c3", true), std::pair("rv32imc", false), std::pair("rp2040", false)})
    EXPECT_EQ(row_named("winograd4_bytes_nhwc").supports(w, *load_device(name)), takes) << name;
}

INSTANTIATE_TEST_SUITE_P(Devices, Winograd4BytesKernels, testing::Values("esp32c3", "esp32c6"),
                         [](const auto& parameter) { return std::string(parameter.param); });

INSTANTIATE_TEST_SUITE_P(Devices, Winograd4Kernels,
                         testing::Values("cortex-m4", "rv32imc", "rp2040"),
                         [](const auto& parameter) {
                           std::string name = parameter.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace tinytune
