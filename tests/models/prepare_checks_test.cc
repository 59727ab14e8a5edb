// Models that TensorFlow Lite Micro's Prepare refuses are refused here, and those just within its
// limits are accepted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "examples/tflite_writer.h"
#include "models/tflite/tflite.h"
#include "tests/models/operator_run.h"

namespace tinytune {
namespace {

using testing::HasSubstr;

struct Quantised {
  float scale = 0.5F;
  int zero_point = 3;
};

std::string refusal_of_concatenation(Quantised second, int inputs = 2) {
  GraphBuilder b;
  std::vector<int> parts = {b.input({1, 2}, 0.5F, 3)};
  while (static_cast<int>(parts.size()) < inputs)
    parts.push_back(b.input({1, 2}, second.scale, second.zero_point));
  const int y = b.activation({1, 2 * inputs}, 0.5F, 3);
  b.op(OperatorKind::kConcatenation, parts, {y}, AxisAttributes{1});
  b.graph.outputs = {y};
  return refusal_of(b.graph);
}

TEST(PrepareChecks, Concatenation_WantsOneQuantisationAndTenInputsAtMost) {
  EXPECT_EQ(refusal_of_concatenation({}, 10), "accepted");
  EXPECT_THAT(refusal_of_concatenation({0.5000001F, 3}), HasSubstr("has scale 0.5, zero point 3"));
  EXPECT_THAT(refusal_of_concatenation({0.5F, 4}), HasSubstr("quantise both alike"));
  EXPECT_THAT(refusal_of_concatenation({}, 11), HasSubstr("11 inputs"));
}

std::string refusal_of_pool(OperatorKind kind, Quantised output) {
  GraphBuilder b;
  const int x = b.input({1, 2, 2, 1}, 0.5F, 3);
  const int y = b.activation({1, 1, 1, 1}, output.scale, output.zero_point);
  b.op(kind, {x}, {y}, PoolAttributes{.filter_h = 2, .filter_w = 2});
  b.graph.outputs = {y};
  return refusal_of(b.graph);
}

TEST(PrepareChecks, Pools_WantScalesWithinAMillionth) {
  for (const OperatorKind kind : {OperatorKind::kAveragePool2d, OperatorKind::kMaxPool2d}) {
    EXPECT_EQ(refusal_of_pool(kind, {0.5000009F, 3}), "accepted");
    EXPECT_THAT(refusal_of_pool(kind, {0.500002F, 3}), HasSubstr("refuses to rescale"));
    EXPECT_THAT(refusal_of_pool(kind, {0.5F, 2}), HasSubstr("refuses to rescale"));
  }
}

// Imports a dense layer of input scale 0.5, output scale 1 and weights of `scales`.
std::string refusal_of_dense(Quantization bias, std::vector<float> scales = {0.5F}) {
  GraphBuilder b;
  const int x = b.input({1, 2}, 0.5F, 3);
  const int channels = static_cast<int>(scales.size());
  const int w = b.weights({channels, 2}, std::move(scales), 0, 7);
  const int k = b.int32_constant({channels}, std::vector<int32_t>(static_cast<size_t>(channels)));
  b.graph.tensors[static_cast<size_t>(k)].quantization = std::move(bias);
  const int y = b.activation({1, channels}, 1, 0);
  b.op(OperatorKind::kFullyConnected, {x, w, k}, {y}, ActivationAttributes{});
  b.graph.outputs = {y};
  return refusal_of(b.graph);
}

TEST(PrepareChecks, DenseBias_HasTheScaleOfProducts) {
  EXPECT_EQ(refusal_of_dense({{0.25F}, {0}, 0}), "accepted");
  EXPECT_EQ(refusal_of_dense({{0.269F}, {0}, 0}), "accepted");
  EXPECT_THAT(refusal_of_dense({{0.271F}, {0}, 0}), HasSubstr("write the bias with that scale"));
  EXPECT_THAT(refusal_of_dense({}), HasSubstr("bias t2 [1] has scale 0"));
  EXPECT_EQ(refusal_of_dense({}, {0.5F, 0.25F}), "accepted");  // not checked per channel
}

TEST(PrepareChecks, BoundBeyond31Bits_IsRefused) {
  for (const Activation activation : {Activation::kRelu6, Activation::kReluN1To1}) {
    GraphBuilder b;
    const int x = b.input({1, 2}, 1e-10F, 0), y = b.input({1, 2}, 1e-10F, 0);
    const int sum = b.activation({1, 2}, 1e-10F, 0);
    b.op(OperatorKind::kAdd, {x, y}, {sum}, ActivationAttributes{activation});
    b.graph.outputs = {sum};
    EXPECT_THAT(refusal_of(b.graph), HasSubstr("more than 2^31 steps"));
  }
}

TEST(PrepareChecks, ManyScalesWithOneZeroPoint_ShareIt) {
  Graph graph = tiny_network();
  const std::vector<float> scales = graph.tensors[1].quantization.scales;
  graph.tensors[1].quantization.zero_points = {0};
  const Graph read = imported(graph);
  EXPECT_EQ(read.tensors.at(1).quantization.scales, scales);
  EXPECT_EQ(read.tensors.at(1).quantization.zero_points, std::vector<int32_t>(scales.size(), 0));
}

// Converters leave such tensors behind, for example an LSTM's intermediates.
TEST(PrepareChecks, TensorsThatNoOperatorReads_AreNotLookedAt) {
  Graph graph = tiny_network();
  for (const std::vector<int>& shape : {std::vector<int>{0}, {1, -5, 4}, {65536, 65536, 65536}}) {
    Tensor unused = graph.tensors[0];
    unused.id = static_cast<int>(graph.tensors.size());
    unused.shape = shape;
    graph.tensors.push_back(unused);
  }
  EXPECT_EQ(imported(graph).operators.size(), graph.operators.size());
}

TEST(PrepareChecks, EmptyShapeOfAScalar_IsAConstant) {
  GraphBuilder b;
  const int x = b.input({1, 1}, 0.5F, 3), shape = b.int32_constant({0}, {});
  const int y = b.activation({}, 0.5F, 3);
  b.op(OperatorKind::kReshape, {x, shape}, {y});
  b.graph.outputs = {y};
  EXPECT_EQ(values_of(run_imported(b.graph, {{7}}).at(static_cast<size_t>(y))), std::vector{7});
}

}  // namespace
}  // namespace tinytune
