// What remains of spaces when the arena is small.
#include "tuner/filter_by_arena.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "codegen/networks/network_memory.h"
#include "deploy/model/model_state.h"
#include "deploy/selection/low_scratch_schedules.h"
#include "tests/tuner/small_model.h"
#include "tinytune/model.h"

namespace tinytune::test {
namespace {

TEST(FilterByArena, DefaultWithTooMuchScratch_StartsAsTheNearestOfItsTemplate) {
  const auto device = load_device("esp32c3");
  ASSERT_TRUE(device) << device.error().message();
  const std::string path =
      (std::filesystem::path(testing::TempDir()) / "filter_by_arena.tflite").string();
  write_model(small_graph(), path);
  const auto model = Model::load(path);
  ASSERT_TRUE(model) << model.error().message();
  const Model::State& state = model->state();
  auto tasks = make_tuning_tasks(state.tasks, {0}, *device);
  ASSERT_TRUE(tasks) << tasks.error().message();
  TuningTask& task = tasks->front();
  // The default of a template that has only one.
  const auto winograd =
      permitted_default_of(task.task->workload, task.task->data, *device,
                           [](const Schedule& s) { return s.template_name() == "winograd4_nhwc"; });
  ASSERT_TRUE(winograd) << winograd.error().message();
  const Schedule usual = winograd->schedule;
  task.default_point = *task.space.find(usual);
  const uint32_t scratch = scratch_bytes_of(task.task->workload, usual);

  const uint64_t live = network_memory(state.network, {"network"}).layers.front().live_bytes;
  const ArenaAllowance arena{live + scratch - 1, "a byte less"};
  Records records;
  const Status kept =
      filter_by_arena(network_memory(state.network, {"network"}), *device, arena, *tasks, records);
  ASSERT_TRUE(kept) << kept.error().message();
  const Schedule start = task.space.schedule(task.default_point);
  EXPECT_EQ(start.template_name(), "winograd4_nhwc");
  EXPECT_LT(scratch_bytes_of(task.task->workload, start), scratch);
  size_t moved = 0;
  for (const auto& [knob, value] : usual.knobs()) moved += start.get(knob) != value;
  EXPECT_EQ(moved, 1u);
}

}  // namespace
}  // namespace tinytune::test
