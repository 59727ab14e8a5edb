// Small files that claim large sizes: refused with one line, before they cost memory or time.
#include "models/limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <functional>

#include "examples/tflite_writer.h"
#include "models/tflite/tflite.h"
#include "tests/models/test_models.h"

namespace tinytune {
namespace {

using testing::HasSubstr;

// Returns the peak resident memory of this process.
int64_t peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return int64_t{usage.ru_maxrss} * 1024;
}

void expect_cheap_refusal(const Graph& graph, const std::string& part) {
  const int64_t before = peak_bytes();
  const auto result = import_tflite(write_tflite(graph), "m");
  ASSERT_FALSE(result) << "accepted; expected '" << part << "'";
  EXPECT_THAT(result.error().message(), HasSubstr(part));
  EXPECT_THAT(result.error().message(), testing::Not(HasSubstr("\n")));
  EXPECT_LT(peak_bytes() - before, 32 << 20) << result.error().message();
}

constexpr int kSide = 8192;  // [1, kSide, kSide, 1] is the largest tensor

TEST(ModelLimits, TensorBeyondItsLimit_IsRefused) {
  for (const std::vector<int>& shape : {std::vector<int>{1, kSide, kSide, 2},
                                        {INT32_MAX},
                                        {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX},
                                        {1, 65536, 65536, 65536, 65536}}) {
    GraphBuilder b;
    const int x = b.input(shape), y = b.activation(shape);
    b.op(OperatorKind::kRelu, {x}, {y});
    b.graph.outputs = {y};
    expect_cheap_refusal(b.graph, "is too large");
  }
}

TEST(ModelLimits, ManyLargeTensors_AreRefusedTogether) {
  GraphBuilder b;
  int x = b.input({1, kSide, kSide, 1});
  for (int i = 0; i < 8; ++i) {
    const int y = b.activation({1, kSide, kSide, 1});
    b.op(OperatorKind::kRelu, {x}, {y});
    x = y;
  }
  b.graph.outputs = {x};
  expect_cheap_refusal(b.graph, "bytes of activations");
}

TEST(ModelLimits, ConvolutionOfYears_IsRefused) {
  GraphBuilder b;
  const int x = b.input({1, 4096, 4096, 1});
  const int weights = b.weights({1, 64, 64, 1}, {0.1F}, 0, 1);
  const int y = b.activation({1, 4096, 4096, 1});
  b.op(OperatorKind::kConv2d, {x, weights}, {y}, ConvAttributes{});
  b.graph.outputs = {y};
  expect_cheap_refusal(b.graph, "operations an inference");
}

TEST(ModelLimits, TransposedConvolutionOfYears_IsRefused) {
  GraphBuilder b;
  const int shape = b.int32_constant({4}, {1, 4096, 4096, 1});
  const int weights = b.weights({1, 64, 64, 1}, {0.1F}, 0, 1);
  const int x = b.input({1, 4096, 4096, 1}), y = b.activation({1, 4096, 4096, 1});
  b.op(OperatorKind::kTransposeConv, {shape, weights, x}, {y}, TransposeConvAttributes{});
  b.graph.outputs = {y};
  expect_cheap_refusal(b.graph, "operations an inference");
}

TEST(ModelLimits, PoolOfYears_IsRefused) {
  GraphBuilder b;
  const int x = b.input({1, 4096, 4096, 1}), y = b.activation({1, 4096, 4096, 1});
  b.op(OperatorKind::kMaxPool2d, {x}, {y},
       PoolAttributes{.padding = Padding::kSame, .filter_h = 2048, .filter_w = 2048});
  b.graph.outputs = {y};
  expect_cheap_refusal(b.graph, "operations an inference");
}

TEST(ModelLimits, SumsBeyondInt32_AreRefused) {
  GraphBuilder mean;
  const int x = mean.input({1, kSide, kSide, 1}), y = mean.activation({1, 1});
  mean.op(OperatorKind::kMean, {x, mean.int32_constant({2}, {1, 2})}, {y}, ReducerAttributes{});
  mean.graph.outputs = {y};
  expect_cheap_refusal(mean.graph, "2^23");
  GraphBuilder pool;
  const int image = pool.input({1, kSide, kSide, 1}), one = pool.activation({1, 1, 1, 1});
  pool.op(OperatorKind::kAveragePool2d, {image}, {one},
          PoolAttributes{.filter_h = kSide, .filter_w = kSide});
  pool.graph.outputs = {one};
  expect_cheap_refusal(pool.graph, "2^23");
}

TEST(ModelLimits, ConstantsThatGrowWhenTheyAreFolded_AreCounted) {
  GraphBuilder b;
  const int x = b.input({1, 8});
  const int seed = b.int8_constant({1, 1, 1, 1}, {3}, 0.5F, 0);
  const int pads = b.int32_constant({4, 2}, {0, 0, 0, kSide - 1, 0, kSide - 1, 0, 0});
  const int huge = b.activation({1, kSide, kSide, 1}), y = b.activation({1, 8});
  b.op(OperatorKind::kPad, {seed, pads}, {huge});
  b.op(OperatorKind::kRelu, {x}, {y});
  b.graph.outputs = {y};
  expect_cheap_refusal(b.graph, "bytes of constants");
}

TEST(ModelLimits, HugeParameters_AreRefused) {
  const auto refused = [](OperatorKind kind, const std::vector<std::vector<int32_t>>& parameters,
                          std::vector<int> shape, Attributes attributes) {
    GraphBuilder b;
    std::vector<int> inputs = {b.input({1, 8, 8, 2})};
    for (const auto& values : parameters)
      inputs.push_back(b.int32_constant({static_cast<int>(values.size())}, values));
    const int y = b.activation(std::move(shape));
    b.op(kind, inputs, {y}, std::move(attributes));
    b.graph.outputs = {y};
    expect_cheap_refusal(b.graph, "");
  };
  const std::vector<int> same = {1, 8, 8, 2};
  for (const int32_t huge : {INT32_MAX, INT32_MIN, 0x10000, -1}) {
    refused(OperatorKind::kPad, {{0, 0, huge, huge, huge, huge, 0, 0}}, same, {});
    refused(OperatorKind::kResizeNearestNeighbor, {{huge, huge}}, same, ResizeAttributes{});
    refused(OperatorKind::kStridedSlice, {{huge, huge, 0, 0}, {huge, huge, 8, 2}, {huge, 1, 1, 1}},
            same, StridedSliceAttributes{});
    refused(OperatorKind::kTranspose, {{huge, 0, 1, 2}}, same, {});
    refused(OperatorKind::kMean, {{huge}}, same, ReducerAttributes{});
    refused(OperatorKind::kMaxPool2d, {}, same, PoolAttributes{.stride_h = huge});
    refused(OperatorKind::kMaxPool2d, {}, same,
            PoolAttributes{.padding = Padding::kSame, .filter_h = huge});
  }
}

// Replaces every extent of a network by values that overflow, are negative or merely large.
TEST(ModelLimits, AnyHostileExtent_EndsInALineOrAGraphWithinLimits) {
  const Graph original = tiny_network();
  const int64_t before = peak_bytes();
  for (size_t t = 0; t < original.tensors.size(); ++t)
    for (size_t axis = 0; axis < original.tensors[t].shape.size(); ++axis)
      for (const int extent : {0, -1, INT32_MIN, INT32_MAX, 65536, 1 << 26}) {
        Graph graph = original;
        graph.tensors[t].shape[axis] = extent;
        const auto result = import_tflite(write_tflite(graph), "m");
        EXPECT_TRUE(result || !result.error().message().empty());
      }
  EXPECT_LT(peak_bytes() - before, 32 << 20);
}

TEST(ModelLimits, TooManyOperators_AreRefused) {
  GraphBuilder b;
  int x = b.input({1});
  for (size_t i = 0; i <= kMostOperators; ++i) {
    const int y = b.activation({1});
    b.op(OperatorKind::kRelu, {x}, {y});
    x = y;
  }
  b.graph.outputs = {x};
  const auto result = import_tflite(write_tflite(b.graph), "m");
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message(), HasSubstr("more than 65536 operators"));
}

}  // namespace
}  // namespace tinytune
