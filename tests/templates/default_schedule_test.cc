// Every layer has a default schedule, even with a shape that nobody would choose.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/rng.h"
#include "devices/device.h"
#include "templates/kernel_template.h"

namespace tinytune {
namespace {

int output_extent(int input, int kernel, int stride, int pad) {
  return (input + 2 * pad - kernel) / stride + 1;
}

Workload random_workload(Rng& rng) {
  const auto between = [&rng](int low, int high) {
    return low + static_cast<int>(rng.below(static_cast<uint64_t>(high - low + 1)));
  };
  Workload w;
  w.op = static_cast<OpKind>(rng.below(3));
  w.in_c = between(1, 40);
  w.out_c = between(1, 17);
  w.facts.lane_group = 1 << rng.below(7);
  w.facts.requantise = static_cast<Requantise>(rng.below(4));
  if (rng.below(3) == 0) w.layout = Layout::kNchw;
  if (w.op == OpKind::kDense) {
    w.batch = between(1, 3);
    return w;
  }
  if (w.op == OpKind::kDepthwiseConv2d) {
    w.depth_multiplier = between(1, 3);
    w.out_c = w.in_c * w.depth_multiplier;
  }
  w.kernel_h = between(1, 5), w.kernel_w = between(1, 5);
  w.stride_h = between(1, 3), w.stride_w = between(1, 3);
  w.pad_top = between(0, w.kernel_h / 2), w.pad_left = between(0, w.kernel_w / 2);
  w.in_h = between(w.kernel_h, 12), w.in_w = between(w.kernel_w, 12);
  w.out_h = output_extent(w.in_h, w.kernel_h, w.stride_h, w.pad_top);
  w.out_w = output_extent(w.in_w, w.kernel_w, w.stride_w, w.pad_left);
  return w;
}

Workload usual_depthwise() {
  Workload w;
  w.op = OpKind::kDepthwiseConv2d;
  w.in_c = w.out_c = 8;
  w.in_h = w.in_w = w.out_h = w.out_w = 8;
  w.kernel_h = w.kernel_w = 3;
  w.pad_top = w.pad_left = 1;
  w.activation_min = -128, w.activation_max = 127;
  w.facts.requantise = Requantise::kFused;
  return w;
}

Workload long_dense() {
  Workload w;
  w.op = OpKind::kDense;
  w.in_c = 64;
  w.out_c = 16;
  w.activation_min = -128, w.activation_max = 127;
  w.facts.requantise = Requantise::kFused;
  return w;
}

// A convolution with square windows and enough channels for Winograd.
Workload usual_convolution() {
  Workload w = usual_depthwise();
  w.op = OpKind::kConv2d;
  return w;
}

TEST(DefaultSchedule, OfEveryTemplate_IsInItsSpace) {
  Rng rng(7);
  for (const char* name : {"rv32imc", "rp2040", "esp32c3", "stm32l4r5", "stm32f7"}) {
    const auto device = load_device(name);
    ASSERT_TRUE(device) << device.error().message();
    for (int i = 0; i < 150; ++i) {
      const Workload w = random_workload(rng);
      ASSERT_TRUE(validate(w)) << to_text(w);
      for (const KernelTemplate& t : kernel_templates()) {
        if (!t.supports(w, *device)) continue;
        const Schedule schedule = t.default_schedule(w, *device);
        EXPECT_TRUE(t.space(w, *device).find(schedule))
            << t.name << " on " << name << ": \"" << to_text(schedule) << "\" for " << to_text(w);
      }
    }
  }
}

TEST(DefaultSchedule, KnobsOfEveryTemplate_AreInTheGlossary) {
  const auto bytes = read_file(TINYTUNE_SOURCE_DIR "/doc/knobs.md");
  ASSERT_TRUE(bytes) << bytes.error().message();
  const std::string page(bytes->begin(), bytes->end());
  Rng rng(7);
  std::set<std::string> templates, missing;
  for (const char* name :
       {"rv32imc", "esp32c3", "rp2040", "cortex-m3", "stm32l4r5", "stm32f7", "ra8d1", "vicuna"}) {
    const auto device = load_device(name);
    ASSERT_TRUE(device) << device.error().message();
    std::vector<Workload> layers = {usual_depthwise(), usual_convolution(), long_dense()};
    while (layers.size() < 1000) layers.push_back(random_workload(rng));
    for (const Workload& w : layers) {
      for (const KernelTemplate& t : kernel_templates()) {
        if (!t.supports(w, *device)) continue;
        templates.insert(t.name);
        const Schedule schedule = t.default_schedule(w, *device);
        for (const auto& [knob, value] : schedule.knobs())
          if (page.find("`" + knob + "`") == std::string::npos) missing.insert(knob);
      }
    }
  }
  EXPECT_EQ(missing, std::set<std::string>());
  for (const KernelTemplate& t : kernel_templates())
    EXPECT_TRUE(templates.contains(t.name)) << t.name << " takes none of these layers";
}

// Eight registers hold only the sums of one channel; RV32 has room for sixteen sums.
TEST(DefaultSchedule, OfDirectKernels_HasAsManySumsAsTheCoreHasRegisters) {
  Workload dense;
  dense.op = OpKind::kDense;
  dense.in_c = dense.out_c = 128;
  Workload pointwise;
  pointwise.in_c = pointwise.out_c = 64;
  pointwise.in_h = pointwise.out_h = pointwise.in_w = pointwise.out_w = 8;
  struct Case {
    const char* device;
    Workload workload;
    int oc, px, ku;
  };
  for (const Case& c : {Case{"rp2040", dense, 1, 1, 32}, Case{"rp2040", pointwise, 1, 4, 16},
                        Case{"rv32imc", dense, 8, 1, 8}, Case{"rv32imc", pointwise, 4, 4, 4}}) {
    const auto schedules = default_schedules_of(c.workload, *load_device(c.device));
    const auto direct = std::find_if(schedules.begin(), schedules.end(), [](const Schedule& s) {
      return s.template_name() == "direct_nhwc";
    });
    ASSERT_NE(direct, schedules.end());
    EXPECT_EQ(direct->get_int("oc"), c.oc) << c.device;
    EXPECT_EQ(direct->get_int("px"), c.px) << c.device;
    EXPECT_EQ(direct->get_int("ku"), c.ku) << c.device;
  }
}

}  // namespace
}  // namespace tinytune
