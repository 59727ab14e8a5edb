// Lanes as wide as whole sums: every layout in words, at the limits of what lanes hold.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "base/rng.h"
#include "schedules/lane_words.h"
#include "schedules/weight_facts.h"
#include "tests/templates/expect_exact.h"

namespace tinytune {
namespace {

const char* const kWideShapes[] = {
    // Channels and pixels that tiles do not divide, and reductions that steps do not.
    "conv2d_s8 nhwc n1 in7x5x9 out7x5x7 k1x1 s1x1 d1x1 p0,0 g1 m1 zp-128,-128 act-128,127 lane1 "
    "long",
    "conv2d_s8 nhwc n1 in9x9x3 out9x9x5 k3x3 s1x1 d1x1 p1,1 g1 m1 zp5,-128 act-128,127 lane1 long",
    "conv2d_s8 nhwc n1 in12x9x2 out6x4x11 k3x4 s2x2 d1x1 p0,1 g1 m1 zp-7,-128 act-128,127 lane1 "
    "long",
    "conv2d_s8 nhwc n1 in9x9x4 out9x9x3 k3x3 s1x1 d2x1 p2,1 g1 m1 zp-1,-128 act-128,127 lane1 long",
    // Outputs on both sides of zero: the short requantisation.
    "conv2d_s8 nhwc n1 in5x5x16 out5x5x6 k1x1 s1x1 d1x1 p0,0 g1 m1 zp3,-7 act-100,90 lane1 long",
    "conv2d_s8 nhwc n1 in8x8x5 out4x4x8 k1x1 s2x2 d1x1 p0,0 g1 m1 zp4,3 act-128,127 lane1 long",
};

struct Bench {
  Device device;
  Simulator simulator;

  static Bench of(const char* name) {
    Device device = *load_device(name);
    auto simulator = Simulator::create(device);
    EXPECT_TRUE(simulator) << simulator.error().message();
    return {std::move(device), std::move(*simulator)};
  }
};

// Returns the template for the device's instruction set.
const KernelTemplate& wide_lanes_of(const Device& device) {
  const char* const name = device.target.family != CoreFamily::kArmM ? "wide_lanes_nhwc"
                           : sees_eight_registers(device.target)     ? "thumb_lanes_nhwc"
                                                                     : "thumb2_lanes_nhwc";
  return **find_template(Schedule(name, 1, {}));
}

// Draws schedules of the template.
std::vector<Schedule> some_of(const Workload& w, const Device& device, Rng& rng, size_t most) {
  const ConfigSpace space = wide_lanes_of(device).space(w, device);
  std::vector<Schedule> some;
  while (some.size() < most) some.push_back(space.schedule(rng.below(space.size())));
  return some;
}

// Checks all shapes; collects the knobs' values and forms of requantisation of exact schedules.
void compute_all_shapes(const char* device, std::set<std::string>& values,
                        std::set<Requantise>& forms) {
  Bench bench = Bench::of(device);
  uint64_t seed = 700;
  for (const char* shape : kWideShapes) {
    const RandomLayer layer = random_layer(*parse_workload(shape), Scales::kTypical, ++seed);
    Rng rng(seed);
    for (const Schedule& schedule : some_of(layer.workload, bench.device, rng, 30)) {
      if (!packs(layer, schedule)) continue;
      expect_exact(bench.simulator, bench.device, layer, schedule, ++seed);
      forms.insert(layer.workload.facts.requantise);
      for (const auto& [knob, value] : schedule.knobs()) values.insert(knob + "=" + value);
    }
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(WideLanes, EveryKnob_ComputesTheReferencesBytes) {
  std::set<std::string> values;
  std::set<Requantise> forms;
  compute_all_shapes("rv32imc", values, forms);
  for (const char* value : {"loop=assembly", "loop=llvm", "border=none", "border=copy",
                            "border=test", "words=2", "words=7", "pixels=3", "pixels=12"})
    EXPECT_TRUE(values.contains(value)) << value;
  EXPECT_TRUE(forms.contains(Requantise::kFused) && forms.contains(Requantise::kShort));
}

TEST(ThumbLanes, EveryKnob_ComputesTheReferencesBytes) {
  std::set<std::string> values;
  std::set<Requantise> forms;
  compute_all_shapes("rp2040", values, forms);
  for (const char* value :
       {"oc=1", "oc=2", "oc=3", "words=2", "words=3", "words=4", "words=5", "pixels=3", "pixels=9",
        "step=1", "step=2", "step=4", "step=8", "border=none", "border=copy", "border=test"})
    EXPECT_TRUE(values.contains(value)) << value;
  EXPECT_TRUE(forms.contains(Requantise::kFused) && forms.contains(Requantise::kShort));
}

TEST(Thumb2Lanes, EveryKnob_ComputesTheReferencesBytes) {
  std::set<std::string> values;
  std::set<Requantise> forms;
  compute_all_shapes("cortex-m3", values, forms);
  for (const char* value :
       {"oc=1", "oc=2", "oc=3", "oc=4", "words=2", "words=3", "words=5", "pixels=3", "pixels=9",
        "step=1", "step=2", "step=4", "step=8", "border=none", "border=copy", "border=test"})
    EXPECT_TRUE(values.contains(value)) << value;
  EXPECT_TRUE(forms.contains(Requantise::kFused) && forms.contains(Requantise::kShort));
}

// Cores with MIN and MAX get the same constants, but do not read those of the low limit.
TEST(WideLanes, CoresThatClampWithoutBranches_ComputeTheReferencesBytes) {
  std::set<std::string> values;
  std::set<Requantise> forms;
  compute_all_shapes("hazard3", values, forms);
  EXPECT_TRUE(forms.contains(Requantise::kFused));
}

TEST(WideLanes, ChannelsThatAreAlwaysOrNeverAtTheLowLimit_ComputeTheReferencesBytes) {
  for (const char* name : {"rv32imc", "rp2040", "cortex-m3"}) {
    Bench bench = Bench::of(name);
    RandomLayer layer = random_layer(*parse_workload(kWideShapes[0]), Scales::kTypical, 41);
    ASSERT_EQ(layer.workload.facts.requantise, Requantise::kFused);
    for (size_t c = 0; c < layer.data.bias.size(); c += 3) {
      layer.data.bias[c] = -(1 << 24);
      if (c + 1 < layer.data.bias.size()) layer.data.bias[c + 1] = 1 << 24;
    }
    Rng rng(42);
    int exact = 0;
    for (const Schedule& schedule : some_of(layer.workload, bench.device, rng, 8))
      if (packs(layer, schedule))
        expect_exact(bench.simulator, bench.device, layer, schedule, ++exact);
    EXPECT_GT(exact, 0) << name;
  }
}

// Outputs within reach of store offsets, within reach from 2048 further on, and left to LLVM; tiles
// of all channels, the last one moved back, and of groups; rows that are not whole words, and
// pixels in a row beside a border; 100 pixels, from which on first products have their own code.
TEST(WideLanes, WholeTilesInAssembly_ComputeTheReferencesBytes) {
  Bench bench = Bench::of("rv32imc");
  uint64_t seed = 300;
  for (const char* shape : {"conv2d_s8 nhwc n1 in2x8x3 out2x8x300 k1x1 s1x1 d1x1 p0,0 g1 m1",
                            "conv2d_s8 nhwc n1 in2x8x3 out2x8x700 k1x1 s1x1 d1x1 p0,0 g1 m1",
                            "conv2d_s8 nhwc n1 in10x12x4 out10x12x12 k3x3 s1x1 d1x1 p1,1 g1 m1",
                            "conv2d_s8 nhwc n1 in24x20x3 out12x10x8 k3x3 s2x2 d1x1 p0,0 g1 m1",
                            "conv2d_s8 nhwc n1 in11x11x1 out11x11x5 k1x1 s1x1 d1x1 p0,0 g1 m1",
                            "conv2d_s8 nhwc n1 in12x10x8 out12x10x12 k3x3 s1x1 d1x1 p1,1 g2 m1"}) {
    RandomLayer layer;
    for (int more = 0; more < 50 && layer.workload.facts.requantise != Requantise::kFused; ++more)
      layer =
          random_layer(*parse_workload(std::string(shape) + " zp-9,-128 act-128,127 lane1 long"),
                       Scales::kTypical, ++seed);
    ASSERT_EQ(layer.workload.facts.requantise, Requantise::kFused) << shape;
    const ConfigSpace space = wide_lanes_of(bench.device).space(layer.workload, bench.device);
    Rng rng(seed);
    int exact = 0;
    for (int draw = 0; draw < 400 && exact < 25; ++draw) {
      const Schedule schedule = space.schedule(rng.below(space.size()));
      if (schedule.get("loop") != "assembly" || !packs(layer, schedule)) continue;
      expect_exact(bench.simulator, bench.device, layer, schedule, ++seed);
      ++exact;
    }
    EXPECT_GE(exact, 10) << shape;
    if (HasFatalFailure()) return;
  }
}

// The convolutions of keyword spotting: number of each, and shape.
const std::pair<int, const char*> kKeywordSpotting[] = {
    {1, "conv2d_s8 nhwc n1 in49x10x1 out25x5x64 k10x4 s2x2 d1x1 p4,1 g1 m1 zp83,-128 act-128,127"},
    {4,
     "depthwise_conv2d_s8 nhwc n1 in25x5x64 out25x5x64 k3x3 s1x1 d1x1 p1,1 g1 m1 zp-128,-128 "
     "act-128,127"},
    {4,
     "conv2d_s8 nhwc n1 in25x5x64 out25x5x64 k1x1 s1x1 d1x1 p0,0 g1 m1 zp-128,-128 "
     "act-128,127"}};

TEST(Thumb2Lanes, KeywordSpottingUntuned_TakesAtMostSevenTenthsOfDirectKernels) {
  Bench bench = Bench::of("cortex-m3");
  uint64_t untuned = 0, direct = 0;
  for (const auto& [times, shape] : kKeywordSpotting) {
    const RandomLayer layer =
        random_layer(*parse_workload(std::string(shape) + " lane1 long"), Scales::kTypical, 5);
    const auto instructions = [&, times = static_cast<uint64_t>(times)](const Schedule& schedule) {
      Counts counts;
      const std::vector<uint8_t> input(static_cast<size_t>(layer.workload.input_bytes()), 7);
      expect_exact_on(bench.simulator, bench.device, layer, schedule, input, &counts);
      return times * counts.instructions;
    };
    const auto usual = permitted_default_of(layer.workload, layer.data, bench.device);
    ASSERT_TRUE(usual) << usual.error().message();
    untuned += instructions(usual->schedule);
    for (const Schedule& schedule : default_schedules_of(layer.workload, bench.device))
      if (schedule.template_name() == "direct_nhwc" || schedule.template_name() == "depthwise_nhwc")
        direct += instructions(schedule);
  }
  EXPECT_GT(untuned, 0u);
  EXPECT_LE(static_cast<double>(untuned), 0.7 * static_cast<double>(direct));
}

TEST(WideLanes, OtherCoresOfTheFamily_ComputeTheSame) {
  for (const char* name : {"esp32c3", "hazard3"}) {
    Bench bench = Bench::of(name);
    uint64_t seed = 900;
    for (const char* shape : {kWideShapes[0], kWideShapes[4]}) {
      const RandomLayer layer = random_layer(*parse_workload(shape), Scales::kTypical, ++seed);
      Rng rng(seed);
      for (const Schedule& schedule : some_of(layer.workload, bench.device, rng, 6))
        if (packs(layer, schedule))
          expect_exact(bench.simulator, bench.device, layer, schedule, ++seed);
    }
  }
}

// Returns a layer of three channels: `weights`, their opposites (the first plus one), and ones.
RandomLayer pointwise(const std::vector<int8_t>& weights, int zero_point) {
  Workload w = *parse_workload(
      "conv2d_s8 nhwc n1 in6x4x8 out6x4x3 k1x1 s1x1 d1x1 p0,0 g1 m1 zp-128,-128 act-128,127 lane1 "
      "long");
  w.in_c = static_cast<int>(weights.size());
  w.output_zero_point = zero_point;
  RandomLayer layer{w, {}};
  layer.data.weights = weights;
  for (const int8_t weight : weights) layer.data.weights.push_back(static_cast<int8_t>(-weight));
  ++layer.data.weights[weights.size()];
  layer.data.weights.resize(3 * weights.size(), 1);
  layer.data.bias = {0, 700, -5000};
  layer.data.multiplier = {1'600'000'001, 1'200'000'003, 1'999'999'999};
  layer.data.shift = {-9, -8, -4};
  layer.workload.facts = prove_facts(layer.workload, layer.data);
  return layer;
}

Schedule of_thumb(int pixels, int words) {
  return Schedule("thumb_lanes_nhwc", 1,
                  {{"oc", "1"},
                   {"words", std::to_string(words)},
                   {"pixels", std::to_string(pixels)},
                   {"step", "1"},
                   {"border", "none"},
                   {"sched", "source"}});
}

Schedule of_lanes(int pixels, int words) {
  return Schedule("wide_lanes_nhwc", 1,
                  {{"oc", "2"},
                   {"words", std::to_string(words)},
                   {"pixels", std::to_string(pixels)},
                   {"step", "1"},
                   {"loop", "assembly"},
                   {"border", "none"},
                   {"sched", "source"}});
}

// Weights whose sum reaches the lower end of `bits` bits with inputs of -128: 128 * sum w =
// 2^(bits - 1). Their opposites would exceed the upper end by one.
std::vector<int8_t> filling(int bits) {
  int left = 1 << (bits - 8);
  std::vector<int8_t> weights;
  for (; left > 0; left -= weights.back())
    weights.push_back(static_cast<int8_t>(std::min(left, 127)));
  return weights;
}

// Returns inputs whose pixels make the first channel's sum largest or smallest, at random.
std::vector<uint8_t> inputs_of_extreme_pixels(const RandomLayer& layer, uint64_t seed) {
  Rng rng(seed);
  std::vector<uint8_t> input;
  for (int pixel = 0; pixel < layer.workload.in_h * layer.workload.in_w; ++pixel) {
    const bool largest = rng.below(2) == 0;
    for (int k = 0; k < layer.workload.in_c; ++k)
      input.push_back((layer.data.weights[static_cast<size_t>(k)] > 0) == largest ? 127 : 0x80);
  }
  return input;
}

// Returns how many layouts were tried.
int fill_lanes(const char* device, Schedule (*schedule)(int pixels, int words), int most_words) {
  Bench bench = Bench::of(device);
  uint64_t seed = 1100;
  int layouts = 0;
  for (const int zero_point : {-128, 5})  // fused, short
    for (int words = 2; words <= most_words; ++words)
      for (int pixels = words + 1; pixels <= std::min(12, 2 * words); ++pixels) {
        const int bits = LaneWords::bits(pixels, words);
        if (bits < 17 || bits > 21) continue;  // more take too many weights
        const RandomLayer layer = pointwise(filling(bits), zero_point);
        EXPECT_TRUE(packs(layer, schedule(pixels, words))) << bits << " bits";
        for (int i = 0; i < 4; ++i)
          expect_exact_on(bench.simulator, bench.device, layer, schedule(pixels, words),
                          inputs_of_extreme_pixels(layer, ++seed));
        if (testing::Test::HasFatalFailure()) return layouts;
        ++layouts;
      }
  return layouts;
}

TEST(WideLanes, SumsAtTheEndsOfTheirLanes_AreExact) {
  EXPECT_GE(fill_lanes("rv32imc", of_lanes, 8), 20);
}

TEST(ThumbLanes, SumsAtTheEndsOfTheirLanes_AreExact) {
  EXPECT_GE(fill_lanes("rp2040", of_thumb, 5), 10);
}

TEST(WideLanes, SumsThatMayLeaveTheirLanes_AreRefused) {
  std::vector<int8_t> weights = filling(19);
  EXPECT_TRUE(packs(pointwise(weights, -128), of_lanes(5, 3)));
  weights.push_back(1);
  EXPECT_FALSE(packs(pointwise(weights, -128), of_lanes(5, 3)));
  EXPECT_TRUE(packs(pointwise(weights, -128), of_lanes(8, 5))) << "these lanes have 20 bits";
}

// Finds layers whose requantisation is fused, but with no multiplier exact for all that lanes hold.
std::vector<RandomLayer> layers_of_sums(const KernelTemplate& row, const Device& device) {
  std::vector<RandomLayer> found;
  for (uint64_t seed = 1; seed <= 60 && found.size() < 3; ++seed) {
    RandomLayer layer = random_layer(
        *parse_workload("conv2d_s8 nhwc n1 in6x6x32 out4x4x8 k3x3 s1x1 d1x1 p0,0 g1 m1 zp-128,-128 "
                        "act-128,127 lane1 long"),
        Scales::kTypical, 3000 + seed);
    if (layer.workload.facts.requantise != Requantise::kFused) continue;
    for (const Schedule& schedule : default_schedules_of(layer.workload, device))
      if (schedule.template_name() == row.name && packs(layer, schedule)) {
        found.push_back(layer);
        break;
      }
  }
  return found;
}

TEST(WideSums, WhereLanesCannotBeScaled_ComputeTheReferencesBytes) {
  for (const auto& [name, device_name] : {std::pair{"wide_sums_nhwc", "rv32imc"},
                                          {"thumb_sums_nhwc", "rp2040"},
                                          {"thumb2_sums_nhwc", "cortex-m3"}}) {
    Bench bench = Bench::of(device_name);
    const KernelTemplate& row = **find_template(Schedule(name, 1, {}));
    const auto layers = layers_of_sums(row, bench.device);
    EXPECT_FALSE(layers.empty()) << name;
    uint64_t seed = 1200;
    for (const RandomLayer& layer : layers) {
      const ConfigSpace space = row.space(layer.workload, bench.device);
      Rng rng(++seed);
      int tried = 0;
      for (int draw = 0; draw < 100 && tried < 5; ++draw) {
        const Schedule schedule = space.schedule(rng.below(space.size()));
        if (!packs(layer, schedule)) continue;
        EXPECT_TRUE(row.may_pack(layer.workload, layer.data)(schedule));
        expect_exact(bench.simulator, bench.device, layer, schedule, ++seed);
        ++tried;
      }
      EXPECT_GT(tried, 0);
    }
  }
}

TEST(WideSums, WhereLanesCanBeScaled_AreRefused) {
  const Device device = *load_device("rv32imc");
  const KernelTemplate& row = **find_template(Schedule("wide_sums_nhwc", 1, {}));
  const RandomLayer layer = pointwise(filling(19), -128);
  ASSERT_TRUE(packs(layer, of_lanes(5, 3)));
  ASSERT_TRUE(row.supports(layer.workload, device));
  const Schedule schedule = row.default_schedule(layer.workload, device);
  EXPECT_FALSE(packs(layer, schedule));
  EXPECT_FALSE(row.may_pack(layer.workload, layer.data)(schedule));
  EXPECT_FALSE(row.supports(pointwise(filling(19), 5).workload, device)) << "its end is not fused";
}

TEST(WideLanes, PortableKernels_HaveNoAssembly) {
  const Device device = with_portable_kernels(*load_device("rv32imc"));
  const RandomLayer layer = random_layer(*parse_workload(kWideShapes[0]), Scales::kTypical, 1);
  Rng rng(1);
  for (const Schedule& schedule : some_of(layer.workload, device, rng, 20))
    EXPECT_EQ(schedule.get("loop"), "llvm");
}

// A layer always gets lanes that are wide enough, or falls back to the next template.
TEST(WideLanes, FallbacksAskForLess_BitsOrScratch) {
  const Device device = *load_device("rv32imc");
  const KernelTemplate& wide = **find_template(Schedule("wide_lanes_nhwc", 1, {}));
  const RandomLayer layer = random_layer(*parse_workload(kWideShapes[0]), Scales::kTypical, 1);
  std::vector<Schedule> all = {wide.default_schedule(layer.workload, device)};
  for (const Schedule& s : wide.fallback_schedules(layer.workload, device)) all.push_back(s);
  ASSERT_GE(all.size(), 3u);
  const auto bits = [](const Schedule& s) {
    return LaneWords::bits(s.get_int("pixels"), s.get_int("words"));
  };
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_TRUE(wide.space(layer.workload, device).find(all[i])) << to_text(all[i]);
    for (size_t earlier = 0; earlier < i; ++earlier)
      EXPECT_TRUE(bits(all[i]) > bits(all[earlier]) ||
                  wide.scratch_bytes(layer.workload, all[i]) <
                      wide.scratch_bytes(layer.workload, all[earlier]))
          << to_text(all[i]);
  }
}

}  // namespace
}  // namespace tinytune
