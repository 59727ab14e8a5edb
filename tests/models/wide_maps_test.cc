// int16 forms without kernels, QUANTIZE between integers, and layers with computed weights, on
// values whose results a reader can work out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "tests/models/wide_builder.h"

namespace tinytune {
namespace {

using testing::ElementsAre;

Bytes bytes_of_words(const std::vector<int32_t>& values) {
  Bytes bytes(values.size() * sizeof(int32_t));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

std::vector<int32_t> words_of(const Bytes& bytes) {
  std::vector<int32_t> values(bytes.size() / sizeof(int32_t));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

struct Mapped {
  ElementType type = ElementType::kInt16;
  float scale = 1;
  int zero_point = 0;
};

Bytes run_map(OperatorKind kind, const Mapped& in, const Mapped& out, int count, const Bytes& x,
              Attributes attributes = {}) {
  GraphBuilder b;
  const int from = b.input({1, count}, in.scale, in.zero_point);
  const int to = b.activation({1, count}, out.scale, out.zero_point);
  b.graph.tensors[static_cast<size_t>(from)].type = in.type;
  b.graph.tensors[static_cast<size_t>(to)].type = out.type;
  b.op(kind, {from}, {to}, std::move(attributes));
  b.graph.outputs = {to};
  return run_imported(b.graph, {x}).at(static_cast<size_t>(to));
}

Wide run_wide_map(OperatorKind kind, float in_scale, float out_scale, const Wide& x,
                  Attributes attributes = {}) {
  return wide_of(run_map(kind, {.scale = in_scale}, {.scale = out_scale},
                         static_cast<int>(x.size()), bytes_of_wide(x), std::move(attributes)));
}

TEST(WideRectifiers, RescaleAndClamp) {
  const Wide x = {-32768, -5, 0, 7, 20000};
  EXPECT_THAT(run_wide_map(OperatorKind::kRelu, 1, 0.5F, x), ElementsAre(0, 0, 0, 14, 32767));
  EXPECT_THAT(run_wide_map(OperatorKind::kLeakyRelu, 1, 2, x, LeakyReluAttributes{0.5F}),
              ElementsAre(-8192, -1, 0, 4, 10000));
  EXPECT_THAT(run_wide_map(OperatorKind::kRelu6, 0.001F, 1, x), ElementsAre(0, 0, 0, 7, 6000));
}

TEST(QuantizeOfIntegers, ZeroPointsOfInt16_Count) {
  const Bytes x = bytes_of_wide({-1000, -990, 0, 32767});
  EXPECT_THAT(values_of(run_map(OperatorKind::kQuantize, {.scale = 1, .zero_point = -1000},
                                {ElementType::kInt8, 10, 3}, 4, x)),
              ElementsAre(3, 4, 103, 127));
  EXPECT_THAT(wide_of(run_map(OperatorKind::kQuantize, {.zero_point = -1000},
                              {.scale = 2, .zero_point = 70}, 4, x)),
              ElementsAre(70, 75, 570, 16954));
}

TEST(QuantizeOfIntegers, Int32_IsReadAndWritten) {
  EXPECT_THAT(
      words_of(run_map(OperatorKind::kQuantize, {.scale = 1, .zero_point = 5},
                       {ElementType::kInt32, 0.25F, 1'000'000}, 3, bytes_of_wide({5, 6, -32768}))),
      ElementsAre(1'000'000, 1'000'004, 868'908));
  EXPECT_THAT(wide_of(run_map(OperatorKind::kQuantize, {ElementType::kInt32, 1, 100},
                              {.scale = 100}, 3, bytes_of_words({100, 1100, 2'000'000'000}))),
              ElementsAre(0, 10, 32767));
}

TEST(WideReductions, MeanIsRoundedAndSumClamped) {
  const auto reduced = [](OperatorKind kind, const Wide& x) {
    WideBuilder b;
    const int in = b.wide_input({1, static_cast<int>(x.size())}, 1), out = b.wide({1}, 1);
    b.op(kind, {in, b.int32_constant({1}, {1})}, {out}, ReducerAttributes{});
    b.graph.outputs = {out};
    return wide_of(run_imported(b.graph, {bytes_of_wide(x)}).at(static_cast<size_t>(out)))[0];
  };
  EXPECT_EQ(reduced(OperatorKind::kMean, {32767, 32767, 32765, 32765}), 32766);
  EXPECT_EQ(reduced(OperatorKind::kMean, {-32768, -32768}), -32768);
  EXPECT_EQ(reduced(OperatorKind::kSum, {20000, 20000, -30000}), 10000);
  EXPECT_EQ(reduced(OperatorKind::kSum, {20000, 20000}), 32767);
}

TEST(WideMoves, SelectAndPadWithAValue_CopyWholeElements) {
  WideBuilder b;
  const int x = b.wide_input({1, 3}, 1), y = b.wide_input({1, 3}, 1), chosen = b.wide({1, 3}, 1);
  const int condition = b.input({1, 3});
  b.graph.tensors[static_cast<size_t>(condition)].type = ElementType::kBool;
  b.graph.tensors[static_cast<size_t>(condition)].quantization = {};
  const int value = b.int32_constant({1}, {});
  Tensor& t = b.graph.tensors[static_cast<size_t>(value)];
  t.type = ElementType::kInt16;
  t.quantization = {{1}, {0}, 0};
  t.data = bytes_of_wide({-300});
  const int padded = b.wide({1, 5}, 1);
  b.op(OperatorKind::kSelectV2, {condition, x, y}, {chosen});
  b.op(OperatorKind::kPadV2, {chosen, b.int32_constant({2, 2}, {0, 0, 1, 1}), value}, {padded});
  b.graph.outputs = {padded};
  const auto all = run_imported(b.graph, {bytes_of_wide({1000, 2000, 3000}),
                                          bytes_of_wide({-1000, -2000, -3000}), Bytes{1, 0, 1}});
  EXPECT_THAT(wide_of(all.at(static_cast<size_t>(padded))),
              ElementsAre(-300, 1000, -2000, 3000, -300));
}

TEST(TransposedConvolution, ActivationOfInt16_Clamps) {
  WideBuilder b;
  const int x = b.wide_input({1, 1, 2, 1}, 1);
  const int w = b.int8_constant({1, 1, 2, 1}, {2, -3}, 1, 0);
  const int y = b.wide({1, 1, 4, 1}, 1);
  b.op(OperatorKind::kTransposeConv,
       {b.int32_constant({4}, {1, 1, 4, 1}), w, x, b.int64_constant({1}, {5})}, {y},
       TransposeConvAttributes{Padding::kSame, 1, 2, Activation::kRelu});
  b.graph.outputs = {y};
  EXPECT_THAT(wide_of(run_imported(b.graph, {bytes_of_wide({10, -20})}).at(static_cast<size_t>(y))),
              ElementsAre(25, 0, 0, 65));
}

TEST(ComputedDense, WeightsAndBias_AreReadWhenItRuns) {
  GraphBuilder b;
  const int x = b.input({2, 2}, 1, 1), w = b.input({2, 2}, 1, -3), bias = b.input({2}, 1, 0);
  b.graph.tensors[static_cast<size_t>(bias)].type = ElementType::kInt32;
  const int y = b.activation({2, 2}, 1, 4);
  b.op(OperatorKind::kFullyConnected, {x, w, bias}, {y}, ActivationAttributes{});
  b.graph.outputs = {y};
  // x - 1: {1, 2}, {3, 4}; w + 3: {5, 6}, {-7, 8}.
  const auto all = run_imported(
      b.graph, {bytes_of({2, 3, 4, 5}), bytes_of({2, 3, -10, 5}), bytes_of_words({10, -1})});
  EXPECT_THAT(values_of(all.at(static_cast<size_t>(y))), ElementsAre(31, 12, 53, 14));
}

}  // namespace
}  // namespace tinytune
