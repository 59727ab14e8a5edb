// Compares the products, loaded bytes and stored bytes (NestCounts) that a template describes with
// those that the simulator counts in its program.
//
// Every template is covered, these only in part:
//   direct, depthwise  LLVM unrolls loops and then drops repeated computations, and products with a
//                      tested border: compared where tiles do not overlap and no border is tested,
//                      loads only on RISC-V and where no loop reduces.
//   lanes_nhwc         weights decide where groups end: compared where groups have any length.

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "base/toolchain.h"
#include "schedules/loop_nest.h"
#include "schedules/weight_facts.h"
#include "simulator/simulator.h"
#include "templates/kernel_template.h"
#include "tests/templates/expect_exact.h"
#include "tests/templates/random_layer.h"

namespace tinytune {
namespace {

// Tiles and steps that do not divide, borders, strides, dilation, groups, channels of all residues.
const char* const kShapes[] = {
    "conv2d_s8 nhwc n1 in5x5x8 out5x5x11 k1x1 s1x1 d1x1 p0,0 g1 m1",
    "conv2d_s8 nhwc n1 in5x4x16 out5x4x6 k1x1 s1x1 d1x1 p0,0 g1 m1",
    "conv2d_s8 nhwc n1 in9x7x3 out5x4x6 k3x3 s2x2 d1x1 p1,1 g1 m1",
    "conv2d_s8 nhwc n1 in6x7x4 out6x7x7 k3x3 s1x1 d1x1 p1,1 g1 m1",
    "conv2d_s8 nhwc n1 in9x8x8 out7x6x6 k3x3 s1x1 d1x1 p0,0 g1 m1",
    "conv2d_s8 nhwc n1 in9x9x5 out4x4x7 k3x3 s2x2 d1x1 p0,0 g1 m1",
    "conv2d_s8 nhwc n1 in9x9x4 out9x9x4 k3x3 s1x1 d2x2 p2,2 g1 m1",
    "conv2d_s8 nhwc n1 in5x6x8 out5x6x14 k3x3 s1x1 d1x1 p1,1 g2 m1",
    "conv2d_s8 nchw n1 in9x7x3 out5x4x6 k3x3 s2x2 d1x1 p1,1 g1 m1",
    "conv2d_s8 nchw n2 in5x5x8 out5x5x6 k1x1 s1x1 d1x1 p0,0 g1 m1",
    "depthwise_conv2d_s8 nhwc n1 in7x9x8 out7x9x8 k3x3 s1x1 d1x1 p1,1 g1 m1",
    "depthwise_conv2d_s8 nhwc n1 in11x11x3 out5x5x3 k3x3 s2x2 d1x1 p0,0 g1 m1",
    "depthwise_conv2d_s8 nhwc n1 in7x6x2 out7x6x6 k3x5 s1x1 d1x1 p1,2 g1 m3",
    "depthwise_conv2d_s8 nchw n1 in7x5x6 out7x5x6 k3x3 s1x1 d1x1 p1,1 g1 m1",
    "dense_s8 nhwc n1 in1x1x64 out1x1x28 k1x1 s1x1 d1x1 p0,0 g1 m1",
    "dense_s8 nhwc n1 in1x1x37 out1x1x10 k1x1 s1x1 d1x1 p0,0 g1 m1"};

struct Claims {
  bool products = true, loads = true;
};

bool tiles_overlap(const LoopNest& nest, const Workload& w) {
  return nest.outputs != w.output_bytes();
}

bool has_loop_that_reduces(const LoopNest& nest) {
  return std::any_of(nest.loops.begin(), nest.loops.end(), [](const Loop& loop) {
    return loop.reduction && loop.kind == Loop::Kind::kSerial;
  });
}

/// Returns which counts must be exact. If `products` is false none are, not even stores.
Claims claims_of(const Schedule& schedule, const LoopNest& nest, const Workload& w,
                 const Target& target) {
  const std::string_view name = schedule.template_name();
  if (name == "lanes_nhwc") {
    const bool any_length = schedule.get_int("first") == 1 && schedule.get_int("step") == 1;
    return {any_length, any_length};
  }
  if (!name.starts_with("direct") && !name.starts_with("depthwise")) return {};
  const bool exact = schedule.get("border") != "test" && !tiles_overlap(nest, w);
  const bool as_written = target.family == CoreFamily::kRiscv32 && !has_loop_that_reduces(nest);
  return {exact, exact && as_written};
}

/// Returns whether outputs are filled with the low limit in advance and the others stored a second
/// time: how many those are depends on inputs.
bool fills_outputs(const Schedule& schedule, const Workload& w, const Target& target) {
  const std::string_view name = schedule.template_name();
  return target.family == CoreFamily::kRiscv32 && w.facts.requantise == Requantise::kFused &&
         w.groups == 1 && w.activation_min >= w.output_zero_point && w.out_w * w.out_c % 4 == 0 &&
         (name.starts_with("winograd4") || name == "pairs_dense" || name == "sorted_dense" ||
          name == "quads_dense" ||
          (name == "wide_lanes_nhwc" && schedule.get("loop") == "assembly") ||
          (name == "sliding_depthwise" && schedule.get("limits") == "branch"));
}

/// Returns the counts of a call whose first two counted buffers are input and weights. `scratch`:
/// the bit of another buffer, which holds copies of them and borders.
NestCounts counts_of(const CallReport& report, uint32_t scratch) {
  constexpr uint32_t kInput = 1, kWeights = 2, kBoth = kInput | kWeights;
  NestCounts all;
  for (const auto& [factors, count] : report.factors) {
    const auto add = [&, times = static_cast<int64_t>(count)](uint32_t one, uint32_t other,
                                                              uint64_t loaded) {
      const uint32_t of = one & ~scratch;
      const bool is_input = of == kInput || (of == 0 && one != 0);
      if (is_input && (other & kBoth) == kWeights) {
        all.products += times;
        all.input_bytes += static_cast<int64_t>(loaded);
      }
      // Excludes lengths of groups and scales of sums, which some templates keep beside weights.
      if (of == kWeights && other != 0 && (other & kBoth) != kBoth)
        all.weight_bytes += static_cast<int64_t>(loaded);
    };
    const auto& loaded = report.factor_loads.at(factors);
    add(factors.first, factors.second, loaded.first);
    if (factors.first != factors.second) add(factors.second, factors.first, loaded.second);
  }
  all.stored_bytes = static_cast<int64_t>(report.traffic.back().stored_bytes);
  return all;
}

/// Builds and runs a schedule on some input.
void run(Simulator& simulator, const Device& device, const RandomLayer& layer,
         const Schedule& schedule, NestCounts& counted) {
  const Workload& w = layer.workload;
  const KernelTemplate& owner = **find_template(schedule);
  const auto kernel = compile_kernel(w, schedule, device, "kernel", Emit::kObject);
  ASSERT_TRUE(kernel) << kernel.error().message();
  const auto image = link_image({&kernel->object, 1}, device, "kernel");
  ASSERT_TRUE(image) << image.error().message();
  const auto elf = simulator.load(image->elf);
  ASSERT_TRUE(elf) << elf.error().message();

  CallOptions options;
  options.check_alignment = true;
  uint32_t next = device.memory(device.data_memory).address;
  std::vector<uint32_t> arguments;
  const auto add = [&](std::span<const uint8_t> bytes) {
    options.counted.push_back({next, static_cast<uint32_t>(bytes.size())});
    put(simulator, next, arguments, bytes);
  };
  std::vector<uint8_t> input(static_cast<size_t>(w.input_bytes()));
  for (size_t i = 0; i < input.size(); ++i) input[i] = static_cast<uint8_t>(37 * i);
  add(input);
  const auto constants = owner.pack(w, layer.data, schedule);
  for (const PackedConstant& constant : *constants) add(constant.bytes);
  uint32_t scratch = 0;
  if (const auto bytes = static_cast<size_t>(owner.scratch_bytes(w, schedule)); bytes > 0) {
    scratch = uint32_t{1} << arguments.size();
    add(std::vector<uint8_t>(bytes, 0xa5));
  }
  add(std::vector<uint8_t>(static_cast<size_t>(w.output_bytes()), 0x5a));
  const auto report = simulator.call(elf->symbols.at("kernel").address, arguments, options);
  ASSERT_TRUE(report) << report.error().message();
  ASSERT_EQ(report->end, CallEnd::kReturned) << report->detail;
  counted = counts_of(*report, scratch);
}

struct Core {
  const char* device;
  int schedules;  ///< least number compared
  std::set<std::string> templates;

  friend std::ostream& operator<<(std::ostream& out, const Core& c) { return out << c.device; }
};

const Core kCores[] = {
    {"rv32imc",
     35,
     {"depthwise_nchw", "depthwise_nhwc", "direct_dense", "direct_nchw", "direct_nhwc",
      "lanes_dense", "lanes_nhwc", "pairs_dense", "quads_dense", "sliding_depthwise",
      "sorted_dense", "wide_dense", "wide_lanes_nhwc", "wide_sums_nhwc", "winograd4_nhwc",
      "winograd_nhwc"}},
    {"cortex-m4",
     35,
     {"depthwise_nchw", "depthwise_nhwc", "direct_dense", "direct_nchw", "direct_nhwc",
      "smlad_dense", "smlad_dense_by_layer", "smlad_depthwise", "smlad_nhwc", "smlad_pointwise",
      "smlad_rows", "winograd4_nhwc", "winograd_nhwc"}},
    {"cortex-m3",
     35,
     {"depthwise_nchw", "depthwise_nhwc", "direct_dense", "direct_nchw", "direct_nhwc",
      "lanes_dense", "lanes_nhwc", "thumb2_lanes_nhwc", "thumb2_sums_nhwc", "winograd4_nhwc",
      "winograd_nhwc"}},
    {"rp2040",
     35,
     {"depthwise_nchw", "depthwise_nhwc", "direct_dense", "direct_nchw", "direct_nhwc",
      "lanes_dense", "lanes_nhwc", "thumb_lanes_nhwc", "thumb_sums_nhwc", "winograd4_nhwc",
      "winograd_nhwc"}},
    {"cortex-m55",
     35,
     {"depthwise_nchw", "depthwise_nhwc", "direct_dense", "direct_nchw", "direct_nhwc",
      "helium_depthwise", "helium_nhwc", "smlad_dense", "smlad_dense_by_layer", "smlad_depthwise",
      "smlad_nhwc", "smlad_pointwise", "smlad_rows", "winograd4_nhwc", "winograd_nhwc"}},
    {"rv32imc_zve32x",
     35,
     {"depthwise_nchw", "depthwise_nhwc", "direct_dense", "direct_nchw", "direct_nhwc",
      "lanes_dense", "lanes_nhwc", "pairs_dense", "quads_dense", "rvv_depthwise", "rvv_nhwc",
      "sliding_depthwise", "sorted_dense", "wide_dense", "wide_lanes_nhwc", "wide_sums_nhwc",
      "winograd4_nhwc", "winograd_nhwc"}},
};

/// Returns a layer with fused requantisation for two of three seeds; if dense, with a single scale.
RandomLayer layer_of(const char* shape, uint64_t seed) {
  const bool is_fused = seed % 3 != 1;
  const auto workload = parse_workload(std::string(shape) + (is_fused ? " zp83,-128" : " zp83,-5") +
                                       " act-128,127 lane1 long");
  if (!is_fused)
    return random_layer(*workload, seed % 2 == 0 ? Scales::kExtreme : Scales::kTypical, seed);
  RandomLayer layer;
  for (int more = 0; more < 50 && layer.workload.facts.requantise != Requantise::kFused; ++more) {
    layer = random_layer(*workload, Scales::kTypical, seed + 100 * static_cast<uint64_t>(more));
    if (workload->op != OpKind::kDense) continue;
    std::fill(layer.data.multiplier.begin(), layer.data.multiplier.end(), 1518500250);
    std::fill(layer.data.shift.begin(), layer.data.shift.end(), -8);
    layer.workload.facts = prove_facts(layer.workload, layer.data);
  }
  return layer;
}

class DescribedCounts : public ::testing::TestWithParam<Core> {
 protected:
  void SetUp() override {
    auto made = Simulator::create(device_);
    ASSERT_TRUE(made) << made.error().message();
    simulator_.emplace(std::move(*made));
  }

  /// Compares up to `most` schedules of a layer.
  void compare(const KernelTemplate& owner, const RandomLayer& layer, int most, Rng& rng) {
    constexpr int kDraws = 60;  // of which some are permitted and held to be exact
    const ConfigSpace space = owner.space(layer.workload, device_);
    for (int draw = 0, compared = 0; draw < kDraws && compared < most; ++draw) {
      const Schedule schedule = space.schedule(rng.below(space.size()));
      const LoopNest nest = owner.describe(layer.workload, schedule);
      const Claims claims = claims_of(schedule, nest, layer.workload, device_.target);
      if (!claims.products || !packs(layer, schedule)) continue;
      SCOPED_TRACE(to_text(layer.workload) + " | " + to_text(schedule));
      NestCounts counted;
      run(*simulator_, device_, layer, schedule, counted);
      if (HasFatalFailure()) return;
      const NestCounts described = counts_of(nest);
      EXPECT_EQ(described.products, counted.products);
      if (fills_outputs(schedule, layer.workload, device_.target)) {
        EXPECT_GE(counted.stored_bytes, layer.workload.output_bytes());
        EXPECT_LE(counted.stored_bytes, described.stored_bytes + layer.workload.output_bytes());
      } else {
        EXPECT_EQ(described.stored_bytes, counted.stored_bytes);
      }
      if (claims.loads && llvm_version() == 14) {
        EXPECT_EQ(described.input_bytes, counted.input_bytes);
        EXPECT_EQ(described.weight_bytes, counted.weight_bytes);
      } else if (claims.loads) {  // newer ones keep more loaded values in registers
        EXPECT_GE(described.input_bytes, counted.input_bytes);
        EXPECT_GE(described.weight_bytes, counted.weight_bytes);
      }
      ++compared, ++schedules_;
      covered_.insert(owner.name);
    }
  }

  const Device device_ = load_device(GetParam().device).value();
  std::optional<Simulator> simulator_;
  int schedules_ = 0;
  std::set<std::string> covered_;
};

TEST_P(DescribedCounts, AreWhatTheSimulatorCounts) {
  uint64_t seed = 0;
  for (const char* shape : kShapes) {
    const RandomLayer layer = layer_of(shape, ++seed);
    Rng rng(seed);
    for (const KernelTemplate& owner : kernel_templates()) {
      if (!owner.supports(layer.workload, device_)) continue;
      const bool is_for_depthwise = std::string_view(owner.name).ends_with("_depthwise");
      compare(owner, layer, is_for_depthwise ? 4 : 1, rng);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GE(schedules_, GetParam().schedules);
  EXPECT_EQ(covered_, GetParam().templates);
}

INSTANTIATE_TEST_SUITE_P(Cores, DescribedCounts, ::testing::ValuesIn(kCores),
                         [](const ::testing::TestParamInfo<Core>& info) {
                           std::string name = info.param.device;
                           std::erase_if(name, [](char c) { return c == '-' || c == '_'; });
                           return name;
                         });

}  // namespace
}  // namespace tinytune
