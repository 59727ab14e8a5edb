// What a task's search begins with.
#include "tuner/tuning_task.h"

#include <gtest/gtest.h>

#include "templates/kernel_template.h"
#include "tests/templates/random_layer.h"

namespace tinytune::test {
namespace {

TEST(TuningTask, StartsWithTheFirstDefaultThatItsConstantsPermit) {
  const auto device = load_device("cortex-m4");
  ASSERT_TRUE(device) << device.error().message();
  const auto workload = parse_workload(
      "dense_s8 nhwc n1 in1x1x128 out1x1x128 k1x1 s1x1 d1x1 p0,0 g1 m1 zp0,-128 act-128,127 lane1 "
      "fused");
  ASSERT_TRUE(workload) << workload.error().message();
  const auto start = [&](const LayerData& data) {
    Task task;
    task.workload = *workload;
    task.data = data;
    const auto made = make_tuning_tasks({task}, {0}, *device);
    EXPECT_TRUE(made) << made.error().message();
    return made->front().space.schedule(made->front().default_point).template_name();
  };
  LayerData data = random_layer(*workload, Scales::kTypical, 3).data;
  EXPECT_EQ(start(data), "smlad_dense") << "channels have scales of their own";
  // 1/256: a scale that the layer's own shifts (schedules/layer_shifts.h) reach exactly.
  std::fill(data.multiplier.begin(), data.multiplier.end(), 1 << 30);
  std::fill(data.shift.begin(), data.shift.end(), -7);
  EXPECT_EQ(start(data), "smlad_dense_by_layer");
}

// Where memory is short a template's default goes, and the template may still be the fastest.
TEST(TuningTask, DefaultThatTheSpaceLacks_IsReplacedByTheNearestOfItsTemplate) {
  const auto device = load_device("esp32c3");
  ASSERT_TRUE(device) << device.error().message();
  const auto workload = parse_workload(
      "conv2d_s8 nhwc n1 in8x8x16 out8x8x16 k3x3 s1x1 d1x1 p1,1 g1 m1 zp0,0 act-128,127 lane16 "
      "long");
  ASSERT_TRUE(workload) << workload.error().message();
  const ConfigSpace whole = space_of(*workload, *device);
  const std::vector<size_t> starts = starts_in(whole, *workload, *device);
  ASSERT_FALSE(starts.empty());
  const Schedule gone = whole.schedule(starts[0]);
  const ConfigSpace rest = whole.filtered([&](const Schedule& s) { return s != gone; });
  const std::vector<size_t> others = starts_in(rest, *workload, *device);
  ASSERT_EQ(others.size(), starts.size());
  const Schedule nearest = rest.schedule(others[0]);
  EXPECT_EQ(nearest.template_name(), gone.template_name());
  size_t moved = 0;
  for (const auto& [knob, value] : gone.knobs()) moved += nearest.get(knob) != value;
  EXPECT_EQ(moved, 1u);
  for (size_t i = 1; i < starts.size(); ++i)
    EXPECT_EQ(rest.schedule(others[i]), whole.schedule(starts[i]));
}

}  // namespace
}  // namespace tinytune::test
