#include "models/tasks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "models/summary.h"
#include "models/tflite/tflite.h"
#include "schedules/requantise.h"
#include "tests/models/test_models.h"

namespace tinytune {
namespace {

TEST(Tasks, EqualLayersOfKeywordSpotting_ShareATask) {
  const auto path =
      std::filesystem::path(TINYTUNE_SOURCE_DIR) / ".." / "shared/models/kws_ref_model.tflite";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no model at " << path;
  const auto graph = import_tflite(path.string());
  ASSERT_TRUE(graph);
  auto network = integer_network(*graph);
  ASSERT_TRUE(network);
  ASSERT_TRUE(prove_facts(*network));
  const auto tasks = extract_tasks(*network);
  std::vector<int> layers;
  for (const Task& task : tasks) {
    EXPECT_FALSE(task.layers.empty());
    layers.insert(layers.end(), task.layers.begin(), task.layers.end());
    for (const Task& other : tasks)
      EXPECT_EQ(&task == &other, task.workload == other.workload) << task.name;
  }
  std::sort(layers.begin(), layers.end());
  EXPECT_EQ(layers, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 11}));
  EXPECT_LT(tasks.size(), layers.size()) << "nothing was merged";
  EXPECT_EQ(tasks.front().name, "conv2d 10x4 1->64 @25x5 /2x2");
}

TEST(Tasks, LayersThatDifferOnlyInAZeroPoint_StayApart) {
  GraphBuilder b;
  int at = b.input({1, 4, 4, 2}, 0.5F, 3);
  const int first = at;
  for (int zero_point : {3, 4, 3}) {
    const int weights = b.weights({2, 1, 1, 2}, {0.25F}, 0, 1);
    const int out = b.activation({1, 4, 4, 2}, 0.5F, zero_point);
    b.op(OperatorKind::kConv2d, {at, weights}, {out}, ConvAttributes{});
    at = out;
  }
  b.graph.inputs = {first};
  b.graph.outputs = {at};
  const auto network = integer_network(b.graph);
  ASSERT_TRUE(network) << network.error().message();
  const auto tasks = extract_tasks(*network);
  EXPECT_EQ(tasks.size(), 3U);  // in 3 -> out 3, 3 -> 4, 4 -> 3
}

}  // namespace
}  // namespace tinytune
