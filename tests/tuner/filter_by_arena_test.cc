// What is left of spaces where the arena is small.
#include "tuner/filter_by_arena.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "codegen/networks/network_memory.h"
#include "deploy/lean_schedules.h"
#include "deploy/model_state.h"
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
  const Schedule usual = task.space.schedule(task.default_point);
  const uint32_t scratch = scratch_bytes_of(task.task->workload, usual);
  ASSERT_GT(scratch, 0u) << to_text(usual);

  const uint64_t live = network_memory(state.network, {"network"}).layers.front().live_bytes;
  const ArenaAllowance arena{live + scratch - 1, "a byte less"};
  Records records;
  const Status kept =
      filter_by_arena(network_memory(state.network, {"network"}), *device, arena, *tasks, records);
  ASSERT_TRUE(kept) << kept.error().message();
  const Schedule start = task.space.schedule(task.default_point);
  EXPECT_EQ(start.template_name(), usual.template_name());
  EXPECT_LT(scratch_bytes_of(task.task->workload, start), scratch);
  const auto moved = [&](const Schedule& schedule) {
    size_t knobs = 0;
    for (const auto& [knob, value] : usual.knobs()) knobs += schedule.get(knob) != value;
    return knobs;
  };
  for (size_t point = 0; point < task.space.size(); ++point) {
    const Schedule other = task.space.schedule(point);
    if (other.template_name() == usual.template_name() &&
        scratch_bytes_of(task.task->workload, other) < scratch) {
      EXPECT_LE(moved(start), moved(other)) << to_text(other);
    }
  }
}

}  // namespace
}  // namespace tinytune::test
