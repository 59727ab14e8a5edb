// int16 activations, and weights of 4 bits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "examples/tflite_writer.h"
#include "models/reference/fixed_point.h"
#include "models/tflite/tflite.h"
#include "tests/models/operator_run.h"
#include "tests/models/wide_builder.h"

namespace tinytune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A FULLY_CONNECTED layer of two inputs and one output.
struct Dense {
  std::vector<int8_t> weights = {127, 127};
  float output_scale = 1;
  int64_t bias = 0;
  bool has_bias = true;
  bool int32_sums = false;
};

WideBuilder dense_network(const Dense& d) {
  WideBuilder b;
  const int x = b.wide_input({1, 2}, 1);
  std::vector<int> inputs = {x, b.int8_constant({1, 2}, d.weights, 1, 0)};
  if (d.has_bias) inputs.push_back(b.int64_constant({1}, {d.bias}));
  const int y = b.wide({1, 1}, d.output_scale);
  b.op(OperatorKind::kFullyConnected, inputs, {y},
       ActivationAttributes{Activation::kNone, d.int32_sums});
  b.graph.outputs = {y};
  return b;
}

int16_t run_dense(const Dense& d, const Wide& x) {
  const WideBuilder b = dense_network(d);
  return wide_of(run_imported(b.graph, {bytes_of_wide(x)}).back())[0];
}

// Runs an operator of one input and one output.
Wide run_map(OperatorKind kind, float in_scale, float out_scale, const Wide& x,
             Attributes attributes = {}) {
  WideBuilder b;
  const int n = static_cast<int>(x.size());
  const int in = b.wide_input({1, n}, in_scale), out = b.wide({1, n}, out_scale);
  b.op(kind, {in}, {out}, std::move(attributes));
  b.graph.outputs = {out};
  return wide_of(run_imported(b.graph, {bytes_of_wide(x)}).back());
}

TEST(ScaleLong, Halves_GoUp) {
  constexpr int32_t kHalf = 1 << 30;
  EXPECT_EQ(fixed_point::scale_long(1, kHalf, 0), 1);
  EXPECT_EQ(fixed_point::scale_long(-1, kHalf, 0), 0);
  EXPECT_EQ(fixed_point::scale_long(3, kHalf, 0), 2);
}

TEST(ScaleLong, Multiplier_KeepsSixteenBits) {
  // Slightly more than 2^-1: the part below 2^-16 is rounded away.
  EXPECT_EQ(fixed_point::scale_long(int64_t{1} << 31, (1 << 30) + 32767, 0), 1 << 30);
  EXPECT_EQ(fixed_point::scale_long(int64_t{1} << 16, INT32_MAX, 0), 65534);
}

TEST(ScaleLong, LongestSum_IsScaledExactly) {
  EXPECT_EQ(fixed_point::scale_long((int64_t{1} << 47) - 1, 1 << 30, -31), 1 << 15);
  EXPECT_EQ(fixed_point::scale_long(-(int64_t{1} << 47), 1 << 30, -31), -(1 << 15));
}

TEST(WideDense, SumBeyond32Bits_DoesNotWrap) {
  Dense d;
  d.output_scale = 1 << 20;
  d.bias = int64_t{1} << 34;
  EXPECT_EQ(run_dense(d, {0, 0}), 1 << 14);
  EXPECT_EQ(run_dense(d, {32767, 32767}), (1 << 14) + 8);
}

TEST(WideDense, RangeEnds_Saturate) {
  EXPECT_EQ(run_dense({}, {32767, 32767}), 32767);
  EXPECT_EQ(run_dense({}, {-32768, -32768}), -32768);
}

TEST(WideDense, WithoutBias_SumsHave64BitsUnlessTheFileSaysInt32) {
  // -6 / 4: ties are rounded up in 64 bits, away from zero in 32.
  Dense d;
  d.weights = {1, 0};
  d.output_scale = 4;
  EXPECT_EQ(run_dense(d, {-6, 0}), -1);
  d.has_bias = false;
  EXPECT_EQ(run_dense(d, {-6, 0}), -1);
  d.int32_sums = true;
  EXPECT_EQ(run_dense(d, {-6, 0}), -2);
}

TEST(WideDense, SumsThatTfliteDoesNotScale_AreRefused) {
  Dense d;
  d.bias = int64_t{1} << 47;
  EXPECT_THAT(refusal_of(dense_network(d).graph), HasSubstr("its sums exceed 2^47"));
  d = {};
  d.output_scale = 1.0F / 256;
  EXPECT_THAT(refusal_of(dense_network(d).graph), HasSubstr("a multiplier of 2^7 or more"));
}

TEST(WideConvolution, Padding_IsLeftOut) {
  WideBuilder b;
  const int x = b.wide_input({1, 2, 2, 1}, 1);
  const int w = b.int8_constant({1, 3, 3, 1}, std::vector<int8_t>(9, 1), 1, 0);
  const int y = b.wide({1, 2, 2, 1}, 1);
  b.op(OperatorKind::kConv2d, {x, w, b.int64_constant({1}, {10})}, {y}, ConvAttributes{});
  b.graph.outputs = {y};
  EXPECT_THAT(
      wide_of(
          run_imported(b.graph, {bytes_of_wide({1, 20, 300, 4000})}).at(static_cast<size_t>(y))),
      ElementsAre(4331, 4331, 4331, 4331));
}

TEST(WideDepthwise, Channels_StayApart) {
  WideBuilder b;
  const int x = b.wide_input({1, 1, 1, 2}, 1);
  const int w = b.int8_constant({1, 1, 1, 4}, {1, 2, 3, 4}, 1, 0);
  const int y = b.wide({1, 1, 1, 4}, 1);
  b.op(OperatorKind::kDepthwiseConv2d, {x, w}, {y}, ConvAttributes{});
  b.graph.outputs = {y};
  EXPECT_THAT(wide_of(run_imported(b.graph, {bytes_of_wide({1000, -20})}).back()),
              ElementsAre(1000, 2000, -60, -80));
}

TEST(WideAdd, Ends_SaturateAndSumsKeepTheirBits) {
  WideBuilder b;
  const int x = b.wide_input({1, 4}, 1), y = b.wide_input({1, 4}, 0.5F), z = b.wide({1, 4}, 1);
  b.op(OperatorKind::kAdd, {x, y}, {z}, ActivationAttributes{});
  b.graph.outputs = {z};
  const auto all = run_imported(
      b.graph, {bytes_of_wide({32767, -32768, 100, -7}), bytes_of_wide({32767, -32768, 41, 0})});
  EXPECT_THAT(wide_of(all.back()), ElementsAre(32767, -32768, 121, -7));
}

TEST(WideMul, Product_IsRoundedOnce) {
  WideBuilder b;
  const int x = b.wide_input({1, 3}, 1.0F / 32768), y = b.wide_input({1, 3}, 1.0F / 32768);
  const int z = b.wide({1, 3}, 1.0F / 32768);
  b.op(OperatorKind::kMul, {x, y}, {z}, ActivationAttributes{});
  b.graph.outputs = {z};
  const auto all = run_imported(
      b.graph, {bytes_of_wide({-32768, 16384, 181}), bytes_of_wide({-32768, 3, -181})});
  EXPECT_THAT(wide_of(all.back()), ElementsAre(32767, 2, -1));
}

TEST(WideGates, LieNearTheirFunctions) {
  Wide x;
  for (int value = -32768; value < 32768; value += 97) x.push_back(static_cast<int16_t>(value));
  for (const float scale : {1.0F / 4096, 1.0F / 2048, 0.0007F, 0.001F}) {
    const Wide tanh = run_map(OperatorKind::kTanh, scale, 1.0F / 32768, x);
    const Wide logistic = run_map(OperatorKind::kLogistic, scale, 1.0F / 32768, x);
    for (size_t i = 0; i < x.size(); ++i) {
      const double real = double{scale} * x[i];
      EXPECT_NEAR(tanh[i], std::tanh(real) * 32768, 12) << real;
      EXPECT_NEAR(logistic[i], 32768 / (1 + std::exp(-real)), 12) << real;
    }
  }
}

TEST(WideSoftmax, LiesNearSoftmax) {
  const Wide x = {0, 1000, -3000, 8000, 7999, -32768};
  constexpr float kScale = 0.001F;
  const Wide y = run_map(OperatorKind::kSoftmax, kScale, 1.0F / 32768, x, SoftmaxAttributes{1});
  double sum = 0;
  for (const int16_t value : x) sum += std::exp(double{kScale} * value);
  for (size_t i = 0; i < x.size(); ++i)
    EXPECT_NEAR(y[i], std::exp(double{kScale} * x[i]) / sum * 32768, 8) << i;
}

TEST(WidePool, Average_RoundsAwayFromZero) {
  WideBuilder b;
  const int x = b.wide_input({1, 2, 1, 1}, 1), y = b.wide({1, 1, 1, 1}, 1);
  b.op(OperatorKind::kAveragePool2d, {x}, {y}, PoolAttributes{.filter_h = 2, .filter_w = 1});
  b.graph.outputs = {y};
  EXPECT_THAT(wide_of(run_imported(b.graph, {bytes_of_wide({-32768, -32767})}).back()),
              ElementsAre(-32768));
}

// Bounds that no int8 tensor has: thousands of steps from zero, or outside int16.
TEST(WideActivation, Bounds_HoldHoweverManyStepsAway) {
  const Wide x = {-32768, -20000, 0, 7000, 32767};
  const auto bounded = [&](Activation activation, float scale) {
    WideBuilder b;
    const int a = b.wide_input({1, 1, 5, 1}, scale), y = b.wide({1, 1, 5, 1}, scale);
    b.op(OperatorKind::kMaxPool2d, {a}, {y}, PoolAttributes{.activation = activation});
    b.graph.outputs = {y};
    return wide_of(run_imported(b.graph, {bytes_of_wide(x)}).back());
  };
  EXPECT_THAT(bounded(Activation::kRelu6, 0.001F), ElementsAre(0, 0, 0, 6000, 6000));
  EXPECT_THAT(bounded(Activation::kReluN1To1, 0.0001F),
              ElementsAre(-10000, -10000, 0, 7000, 10000));
  EXPECT_THAT(bounded(Activation::kRelu6, 0.0001F), ElementsAre(0, 0, 0, 7000, 32767));
  EXPECT_THAT(bounded(Activation::kReluN1To1, 1e-7F), ElementsAre(-32768, -20000, 0, 7000, 32767));
  EXPECT_THAT(bounded(Activation::kRelu, 0.001F), ElementsAre(0, 0, 0, 7000, 32767));
}

TEST(Quantize, Int16ToInt8_ClampsAndMovesTheZeroPoint) {
  WideBuilder b;
  const int x = b.wide_input({1, 4}, 1), y = b.activation({1, 4}, 256, -3);
  b.op(OperatorKind::kQuantize, {x}, {y});
  b.graph.outputs = {y};
  EXPECT_THAT(values_of(run_imported(b.graph, {bytes_of_wide({0, 32767, -32768, 382})}).back()),
              ElementsAre(-3, 125, -128, -2));
}

TEST(WidePad, BorderIsZero) {
  WideBuilder b;
  const int x = b.wide_input({1, 1}, 1), y = b.wide({1, 3}, 1);
  b.op(OperatorKind::kPad, {x, b.int32_constant({2, 2}, {0, 0, 1, 1})}, {y});
  b.graph.outputs = {y};
  EXPECT_THAT(wide_of(run_imported(b.graph, {bytes_of_wide({-2})}).at(static_cast<size_t>(y))),
              ElementsAre(0, -2, 0));
}

TEST(WideImport, ZeroPoint_IsRefused) {
  WideBuilder b;
  const int x = b.wide_input({1, 2}, 1), y = b.wide({1, 2}, 1.0F / 32768);
  b.graph.tensors[static_cast<size_t>(x)].quantization.zero_points = {5};
  b.op(OperatorKind::kTanh, {x}, {y});
  b.graph.outputs = {y};
  EXPECT_THAT(refusal_of(b.graph), HasSubstr("t0 [1,2] is int16 with a zero point"));
}

// A dense layer with an odd number of weights, which leaves half of a byte unused.
Graph packed_network(ElementType type) {
  GraphBuilder b;
  const int x = b.input({1, 3}, 1, 5);
  const int w = b.int8_constant({3, 3}, {-8, 7, 0, 1, -1, 3, -5, 6, -7}, 0.5F, 0);
  b.graph.tensors[static_cast<size_t>(w)].type = type;
  const int y = b.activation({1, 3}, 2, -4);
  b.op(OperatorKind::kFullyConnected, {x, w}, {y}, ActivationAttributes{});
  b.graph.outputs = {y};
  return b.graph;
}

TEST(PackedWeights, AreUnpackedLowHalfFirst) {
  const Graph graph = imported(packed_network(ElementType::kInt4));
  EXPECT_THAT(values_of(graph.tensor(1).data), ElementsAre(-8, 7, 0, 1, -1, 3, -5, 6, -7));
  const std::vector<Bytes> x = {bytes_of({-128, 127, 40})};
  EXPECT_EQ(run_imported(packed_network(ElementType::kInt4), x).back(),
            run_imported(packed_network(ElementType::kInt8), x).back());
}

TEST(PackedWeights, ElsewhereAreRefused) {
  GraphBuilder b;
  const int x = b.input({1, 2}), c = b.int8_constant({1, 2}, {1, 2}, 1, 0);
  b.graph.tensors[static_cast<size_t>(c)].type = ElementType::kInt4;
  const int y = b.activation({1, 2});
  b.op(OperatorKind::kAdd, {x, c}, {y}, ActivationAttributes{});
  b.graph.outputs = {y};
  EXPECT_THAT(refusal_of(b.graph), HasSubstr("t1 [1,2] is int4, which only weights of CONV_2D"));
}

// SOFTMAX of int8 to int16, and DEQUANTIZE of that.
TEST(WideSoftmax, OfInt8_IsNearTheRealFunction) {
  WideBuilder b;
  const int x = b.input({1, 5}, 0.1F, 3), y = b.wide({1, 5}, 1.0F / 65536);
  b.graph.tensors[static_cast<size_t>(y)].quantization.zero_points = {-32768};
  const int real = b.float_tensor({1, 5});
  b.op(OperatorKind::kSoftmax, {x}, {y}, SoftmaxAttributes{});
  b.op(OperatorKind::kDequantize, {y}, {real});
  b.graph.outputs = {y, real};
  const std::vector<int> in = {127, 120, 90, -128, 127};
  const auto values = run_imported(b.graph, {bytes_of(in)});
  const Wide got = wide_of(values[static_cast<size_t>(y)]);
  std::vector<float> floats(in.size());
  std::memcpy(floats.data(), values[static_cast<size_t>(real)].data(), 4 * in.size());
  double sum = 0;
  for (const int v : in) sum += std::exp(0.1 * v);
  for (size_t i = 0; i < in.size(); ++i) {
    EXPECT_NEAR(got[i] + 32768, 65536 * std::exp(0.1 * in[i]) / sum, 8) << i;
    EXPECT_FLOAT_EQ(floats[i], static_cast<float>(got[i] + 32768) / 65536);
  }
  EXPECT_EQ(got[3], -32768);
}

TEST(WideSoftmax, OfInt8WithAnotherOutputScale_IsRefused) {
  WideBuilder b;
  const int x = b.input({1, 5}, 0.1F, 3), y = b.wide({1, 5}, 1.0F / 32768);
  b.op(OperatorKind::kSoftmax, {x}, {y}, SoftmaxAttributes{});
  b.graph.outputs = {y};
  EXPECT_THAT(refusal_of(b.graph), HasSubstr("is not quantised as 1/65536, -32768"));
}

}  // namespace
}  // namespace tinytune
