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

}  // namespace
}  // namespace tinytune::test
