#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "examples/ds_cnn.h"
#include "examples/mobile_nets.h"
#include "examples/noise_suppression.h"
#include "examples/tflite_writer.h"
#include "models/integer_network.h"
#include "models/integer_op.h"
#include "models/tasks.h"
#include "models/tflite/tflite.h"
#include "tests/models/test_models.h"

namespace tinytune {
namespace {

// golden/README.md's generators: uniform bytes below seed 100, a random walk from there on.
std::vector<uint8_t> seeded_input(uint32_t seed, size_t bytes) {
  uint32_t state = seed;
  int walk = 0;
  std::vector<uint8_t> input;
  for (size_t i = 0; i < bytes; ++i) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    walk = std::clamp(walk + static_cast<int>((state >> 24) % 17) - 8, -128, 127);
    input.push_back(static_cast<uint8_t>(seed < 100 ? state >> 24 : static_cast<uint32_t>(walk)));
  }
  return input;
}

Graph import_example() {
  auto graph = import_tflite(TINYTUNE_EXAMPLE_MODEL);
  EXPECT_TRUE(graph) << graph.error().message();
  return graph ? *graph : Graph();
}

TEST(ExampleNetwork, File_ImportsWithTheShapesOfKeywordSpotting) {
  const Graph graph = import_example();
  EXPECT_EQ(graph.name, "ds_cnn");
  ASSERT_EQ(graph.operators.size(), 13U);
  int64_t macs = 0;
  for (const Operator& op : graph.operators) macs += macs_of(*prepare(graph, op));
  EXPECT_EQ(macs, 2'656'768);
  EXPECT_EQ(graph.tensor(graph.inputs[0]).shape, (std::vector<int>{1, 49, 10, 1}));
  EXPECT_EQ(graph.tensor(graph.outputs[0]).shape, (std::vector<int>{1, 12}));
}

TEST(ExampleNetwork, SameSeed_GivesTheSameBytes) {
  EXPECT_EQ(write_tflite(make_ds_cnn(1)), read_bytes(TINYTUNE_EXAMPLE_MODEL));
  EXPECT_NE(write_tflite(make_ds_cnn(2)), read_bytes(TINYTUNE_EXAMPLE_MODEL));
}

TEST(ExampleNetwork, Outputs_DifferBetweenInputs) {
  const Graph graph = import_example();
  std::set<std::vector<uint8_t>> outputs;
  std::set<size_t> winners;
  for (uint32_t seed : {1, 2, 3, 4, 5, 6, 101, 102, 103, 104}) {
    const auto values =
        run_reference(graph, std::vector<std::vector<uint8_t>>{seeded_input(seed, 490)});
    ASSERT_TRUE(values);
    auto output = (*values)[static_cast<size_t>(graph.outputs[0])];
    for (uint8_t& byte : output) byte ^= 0x80;  // as an unsigned probability
    winners.insert(
        static_cast<size_t>(std::max_element(output.begin(), output.end()) - output.begin()));
    outputs.insert(std::move(output));
  }
  EXPECT_GE(outputs.size(), 8U);
  EXPECT_GE(winners.size(), 3U);
}

// Checks that inference uses the calibrated ranges, also behind layers that only move values.
void expect_range_is_used(const Graph& graph) {
  const auto bytes = static_cast<size_t>(graph.tensor(graph.inputs[0]).elements());
  const auto values =
      run_reference(graph, std::vector<std::vector<uint8_t>>{seeded_input(1, bytes)});
  ASSERT_TRUE(values);
  for (const Operator& op : graph.operators) {
    if (op.kind != OperatorKind::kConv2d && op.kind != OperatorKind::kDepthwiseConv2d &&
        op.kind != OperatorKind::kAdd)
      continue;
    const auto& result = (*values)[static_cast<size_t>(op.outputs[0])];
    const std::vector<int8_t> v(result.begin(), result.end());
    const auto high = std::count(v.begin(), v.end(), 127);
    EXPECT_LT(high * 100, static_cast<int64_t>(v.size())) << "operator " << op.index;
    EXPECT_GT(*std::max_element(v.begin(), v.end()), -64) << "operator " << op.index;
  }
}

TEST(ExampleNetwork, Activations_UseTheirRangeWithoutSaturating) {
  expect_range_is_used(import_example());
}

TEST(FaceDetection, Heads_AreOfTwoGridsAndUseTheirRange) {
  const auto graph = import_tflite(write_tflite(make_face_detection(1)), "faces");
  ASSERT_TRUE(graph) << graph.error().message();
  std::vector<std::vector<int>> shapes;
  for (const int output : graph->outputs) shapes.push_back(graph->tensor(output).shape);
  EXPECT_EQ(shapes, (std::vector<std::vector<int>>{
                        {1, 12, 12, 2}, {1, 12, 12, 32}, {1, 6, 6, 6}, {1, 6, 6, 96}}));
  expect_range_is_used(*graph);
}

// Gates must be neither always open nor always shut, and the mask must depend on earlier frames.
TEST(NoiseSuppression, Mask_UsesItsRangeAndRemembers) {
  const auto graph = import_tflite(write_tflite(make_noise_suppression(1)), "noise");
  ASSERT_TRUE(graph) << graph.error().message();
  const auto network = integer_network(*graph);
  ASSERT_TRUE(network) << network.error().message();
  NetworkState state = initial_state(network->graph);
  const std::vector<std::vector<uint8_t>> frame = {seeded_input(1, 129)};
  std::vector<std::vector<uint8_t>> masks, hidden;
  for (int step = 0; step < 3; ++step) {
    const auto values = run_reference(*network, frame, state);
    ASSERT_TRUE(values);
    masks.push_back((*values)[static_cast<size_t>(graph->outputs[0])]);
    for (const Operator& op : graph->operators)
      if (op.kind == OperatorKind::kUnidirectionalSequenceLstm)
        hidden.push_back((*values)[static_cast<size_t>(op.outputs[0])]);
  }
  EXPECT_NE(masks[0], masks[1]);
  EXPECT_NE(masks[1], masks[2]);
  const std::vector<int8_t> mask(masks[2].begin(), masks[2].end());
  EXPECT_LT(*std::min_element(mask.begin(), mask.end()), -64);
  EXPECT_GT(*std::max_element(mask.begin(), mask.end()), 64);
  for (const auto& layer : hidden) {
    const std::vector<int8_t> units(layer.begin(), layer.end());
    EXPECT_LT(*std::min_element(units.begin(), units.end()), -32);
    EXPECT_GT(*std::max_element(units.begin(), units.end()), 32);
  }
}

}  // namespace
}  // namespace tinytune
