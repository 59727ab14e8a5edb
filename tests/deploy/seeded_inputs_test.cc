// What `seed:N` gives for each type of input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "examples/tflite_writer.h"
#include "models/operator_kind.h"
#include "tinytune/deploy.h"

namespace tinytune {
namespace {

// A network of one operator on an input of four elements.
Result<Model> network_of(ElementType type) {
  Graph graph;
  const bool is_float = type == ElementType::kFloat32;
  const auto tensor = [&](ElementType of) {
    Tensor t;
    t.id = static_cast<int>(graph.tensors.size());
    t.type = of;
    t.shape = {4};
    if (of == ElementType::kInt8) t.quantization = {{1}, {0}, 0};
    graph.tensors.push_back(t);
    return t.id;
  };
  const int x = tensor(type), y = tensor(is_float ? ElementType::kInt8 : ElementType::kInt32);
  graph.inputs = {x};
  graph.outputs = {y};
  graph.operators = {{0, is_float ? OperatorKind::kQuantize : OperatorKind::kCast, {x}, {y}, {}}};
  const std::string path = testing::TempDir() + "/seeded.tflite";
  if (auto written = write_file(path, text_of(write_tflite(graph))); !written)
    return written.error();
  return Model::load(path);
}

std::vector<uint8_t> generated(ElementType type) {
  const auto model = network_of(type);
  if (!model) {
    ADD_FAILURE() << model.error().message();
    return {};
  }
  const auto inputs = generate_inputs(*model, 7);
  if (!inputs) {
    ADD_FAILURE() << inputs.error().message();
    return {};
  }
  return inputs->at(0);
}

TEST(SeededInputs, EveryType_GetsWholeElementsOfTheSameStream) {
  const std::vector<uint8_t> bytes = generated(ElementType::kInt8);
  ASSERT_THAT(bytes, testing::AllOf(testing::SizeIs(4), testing::Contains(testing::Ge(128))));
  std::vector<uint8_t> twice, longer, real;
  for (const uint8_t byte : bytes) {
    twice.insert(twice.end(), {byte, byte});
    const uint8_t sign = byte < 128 ? 0 : 255;
    longer.insert(longer.end(), {byte, sign, sign, sign});
  }
  EXPECT_EQ(generated(ElementType::kInt16), twice);
  EXPECT_EQ(generated(ElementType::kInt32), longer);
  EXPECT_EQ(generated(ElementType::kFloat32).size(), 16u);
}

}  // namespace
}  // namespace tinytune
