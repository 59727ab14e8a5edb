// What an untuned layer gets exists, whatever the layer: shapes that nobody would choose.
#include <gtest/gtest.h>

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
  if (w.op == OpKind::kDense) {
    w.batch = between(1, 3);
    return w;
  }
  if (w.op == OpKind::kDepthwiseConv2d) {
    w.depth_multiplier = between(1, 3);
    w.out_c = w.in_c * w.depth_multiplier;
  }
  if (rng.below(3) == 0) w.layout = Layout::kNchw;
  w.kernel_h = between(1, 5), w.kernel_w = between(1, 5);
  w.stride_h = between(1, 3), w.stride_w = between(1, 3);
  w.pad_top = between(0, w.kernel_h / 2), w.pad_left = between(0, w.kernel_w / 2);
  w.in_h = between(w.kernel_h, 12), w.in_w = between(w.kernel_w, 12);
  w.out_h = output_extent(w.in_h, w.kernel_h, w.stride_h, w.pad_top);
  w.out_w = output_extent(w.in_w, w.kernel_w, w.stride_w, w.pad_left);
  return w;
}

TEST(DefaultSchedule, OfEveryTemplate_IsInItsSpace) {
  Rng rng(7);
  for (const char* name : {"rv32imc", "rp2040", "stm32l4r5", "stm32f7"}) {
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

}  // namespace
}  // namespace tinytune
