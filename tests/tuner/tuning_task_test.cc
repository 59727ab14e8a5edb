// Where the search for a task begins.
#include "tuner/tuning_task.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "deploy/selection/estimated_kernels.h"
#include "models/generated_constants.h"
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
  const auto counts_by_layer = [&](const LayerData& data) {
    return std::ranges::any_of(estimated_kernels(*workload, data, *device, {}),
                               [](const EstimatedKernel& kernel) {
                                 return kernel.schedule.template_name() == "smlad_dense_by_layer";
                               });
  };
  LayerData data = random_layer(*workload, Scales::kTypical, 3).data;
  EXPECT_EQ(start(data), "smlad_dense");
  EXPECT_FALSE(counts_by_layer(data)) << "channels have scales of their own";
  // 1/256: a scale that layer-wide shifts (schedules/layer_shifts.h) represent exactly.
  std::fill(data.multiplier.begin(), data.multiplier.end(), 1 << 30);
  std::fill(data.shift.begin(), data.shift.end(), -7);
  EXPECT_TRUE(counts_by_layer(data));
  EXPECT_EQ(start(data),
            estimated_kernels(*workload, data, *device, {})[0].schedule.template_name());
}

// One kernel runs all layers of a task, so points that one of them refuses are not searched: no
// network could use them.
TEST(TuningTask, LayersBehindTheFirst_LeaveOutWhatTheirConstantsRefuse) {
  const auto device = load_device("hazard3");
  ASSERT_TRUE(device) << device.error().message();
  Task task;
  const auto workload = parse_workload(
      "depthwise_conv2d_s8 nhwc n1 in25x5x64 out25x5x64 k3x3 s1x1 d1x1 p1,1 g1 m1 zp-128,-128 "
      "act-128,127 lane2 fused");
  ASSERT_TRUE(workload) << workload.error().message();
  task.workload = *workload;
  // Finds two layers with different scales, one that permits the default and one that does not.
  std::optional<LayerData> strict;
  const auto shifts = [](const Schedule& s) {
    return s.template_name() == "sliding_depthwise" && s.get("right") == "0";
  };
  for (uint64_t seed = 1; seed < 200 && (!strict || task.data.weights.empty()); ++seed) {
    auto data = generate_constants_with_facts(*workload, seed);
    ASSERT_TRUE(data) << data.error().message();
    const bool permits = space_of(*workload, *data, *device).filtered(shifts).size() > 0;
    (permits ? task.data : strict.emplace()) = std::move(*data);
  }
  ASSERT_TRUE(strict) << "no generated layer refuses the default";
  const auto alone = make_tuning_tasks({task}, {0}, *device);
  ASSERT_TRUE(alone) << alone.error().message();
  EXPECT_TRUE(shifts(alone->front().space.schedule(alone->front().default_point)));
  task.others = {*strict};
  const auto both = make_tuning_tasks({task}, {0}, *device);
  ASSERT_TRUE(both) << both.error().message();
  EXPECT_EQ(both->front().space.filtered(shifts).size(), 0u);
  EXPECT_LT(both->front().space.size(), alone->front().space.size());
  const Schedule usual = both->front().space.schedule(both->front().default_point);
  EXPECT_EQ(usual.template_name(), "sliding_depthwise");
  EXPECT_EQ(usual.get("right"), "8");
}

// When memory is short a template may lose its default and still be the fastest.
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
