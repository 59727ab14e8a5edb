// TFLite's prepare arithmetic and the fixed-point functions, against independent computation.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/rng.h"
#include "models/integer_op.h"
#include "models/quantise.h"
#include "models/reference/fixed_point.h"
#include "tests/models/test_models.h"

namespace tinytune {
namespace {

TEST(QuantizeMultiplier, Result_IsTheNearestFixedPointNumber) {
  Rng rng(1);
  for (int i = 0; i < 20000; ++i) {
    const double real = std::ldexp(0.5 + rng.uniform() / 2, static_cast<int>(rng.below(60)) - 30);
    const auto m = quantize_multiplier(real);
    EXPECT_GE(m.multiplier, 1 << 30);
    const double back = std::ldexp(m.multiplier, m.shift - 31);
    EXPECT_LE(std::abs(back - real), std::ldexp(0.5, m.shift - 31)) << real;
  }
}

TEST(QuantizeMultiplier, RoundingUpToOne_MovesTheExponent) {
  const auto m = quantize_multiplier(1 - 1e-12);
  EXPECT_EQ(m.multiplier, 1 << 30);
  EXPECT_EQ(m.shift, 1);
}

TEST(QuantizeMultiplier, BelowTwoToMinus32_IsZero) {
  EXPECT_EQ(quantize_multiplier(std::ldexp(1.0, -32)).multiplier, 1 << 30);  // shift -31
  EXPECT_EQ(quantize_multiplier(std::ldexp(1.0, -33)).multiplier, 0);
  EXPECT_EQ(quantize_multiplier(std::ldexp(1.0, -33)).shift, 0);
  EXPECT_EQ(quantize_multiplier(0).multiplier, 0);
}

TEST(FixedPoint, RoundingShiftRight_RoundsHalvesAwayFromZero) {
  Rng rng(2);
  for (int i = 0; i < 20000; ++i) {
    const auto x = static_cast<int32_t>(rng.next());
    const int s = static_cast<int>(rng.below(32));
    EXPECT_EQ(fixed_point::rounding_shift_right(x, s),
              static_cast<int32_t>(std::llround(std::ldexp(static_cast<long double>(x), -s))));
  }
  EXPECT_EQ(fixed_point::rounding_shift_right(INT32_MIN, 32), 0);
}

TEST(FixedPoint, Exponential_IsWithinAMillionth) {
  for (int64_t x = 0; x < (int64_t{1} << 31); x += 99991) {
    const double expected = std::exp(-std::ldexp(static_cast<double>(x), -26));
    const int32_t got = fixed_point::exp_on_negative_values(static_cast<int32_t>(-x));
    ASSERT_NEAR(std::ldexp(got, -31), expected, 1e-6) << x;
  }
  EXPECT_EQ(fixed_point::exp_on_negative_values(0), INT32_MAX);
}

TEST(FixedPoint, Reciprocal_IsWithinABillionth) {
  for (int64_t x = 0; x < (int64_t{1} << 31); x += 99991) {
    const double expected = 1 / (1 + std::ldexp(static_cast<double>(x), -31));
    ASSERT_NEAR(std::ldexp(fixed_point::one_over_one_plus(static_cast<int32_t>(x)), -31), expected,
                5e-9)
        << x;
  }
}

TEST(Windows, SameAndValid_AgreeWithCountingPositions) {
  for (int input = 1; input <= 12; ++input)
    for (int filter = 1; filter <= 6; ++filter)
      for (int stride = 1; stride <= 4; ++stride)
        for (int dilation = 1; dilation <= 3; ++dilation) {
          const int reach = (filter - 1) * dilation + 1;
          int positions = 0;
          for (int at = 0; at + reach <= input; at += stride) ++positions;
          EXPECT_EQ(window_of(Padding::kValid, input, filter, stride, dilation).extent, positions);
          const Window same = window_of(Padding::kSame, input, filter, stride, dilation);
          EXPECT_EQ(same.extent, (input + stride - 1) / stride);
          const int total = std::max(0, (same.extent - 1) * stride + reach - input);
          EXPECT_EQ(same.pad, total / 2);  // the odd one goes to the end
        }
}

TEST(ActivationRange, Relu6_IsSixInQuantisedSteps) {
  const Range r = activation_range(Activation::kRelu6, 0.05F, -100, {-128, 127});
  EXPECT_EQ(r.low, -100);
  EXPECT_EQ(r.high, 20);
  const Range tiny = activation_range(Activation::kRelu6, 1e-30F, 0, {-128, 127});
  EXPECT_EQ(tiny.low, 0);
  EXPECT_EQ(tiny.high, 127);
}

// The oracle against the definition of convolution, in 64 bits and long double.
TEST(ReferenceConv, GroupsAndDilation_FollowTheDefinition) {
  GraphBuilder b;
  const int in = b.input({2, 6, 5, 4}, 0.1F, -7);
  const int weights = b.weights({6, 3, 2, 2}, {0.01F, 0.02F, 0.03F, 0.04F, 0.05F, 0.06F}, 0, 3);
  const int bias = b.int32_constant({6}, {1, -2000, 30, 400, -5, 6});
  const int out = b.activation({2, 3, 5, 6}, 0.3F, 11);
  b.op(OperatorKind::kConv2d, {in, weights, bias}, {out},
       ConvAttributes{.stride_h = 2, .dilation_h = 2, .dilation_w = 1});
  b.graph.outputs = {out};
  Rng rng(4);
  std::vector<uint8_t> input(2 * 6 * 5 * 4);
  for (uint8_t& byte : input) byte = static_cast<uint8_t>(rng.below(256));
  const auto values = run_reference(b.graph, std::vector<std::vector<uint8_t>>{input});
  ASSERT_TRUE(values) << values.error().message();
  const auto& output = (*values)[static_cast<size_t>(out)];
  const Tensor& w = b.graph.tensor(weights);
  const int32_t biases[] = {1, -2000, 30, 400, -5, 6};
  size_t at = 0;
  for (int n = 0; n < 2; ++n)
    for (int oh = 0; oh < 3; ++oh)
      for (int ow = 0; ow < 5; ++ow)
        for (int c = 0; c < 6; ++c, ++at) {
          int64_t sum = biases[c];
          for (int kh = 0; kh < 3; ++kh)
            for (int kw = 0; kw < 2; ++kw)
              for (int i = 0; i < 2; ++i) {
                const int y = oh * 2 - 1 + kh * 2, x = ow + kw;  // pads (1, 0), the rest at the end
                if (y < 0 || y >= 6 || x >= 5) continue;
                const int channel = c / 3 * 2 + i;
                const auto v = static_cast<int8_t>(
                    input[static_cast<size_t>(((n * 6 + y) * 5 + x) * 4 + channel)]);
                sum += (v + 7) * static_cast<int8_t>(
                                     w.data[static_cast<size_t>(((c * 3 + kh) * 2 + kw) * 2 + i)]);
              }
          const double real = static_cast<double>(sum) * 0.1F *
                              w.quantization.scales[static_cast<size_t>(c)] / 0.3F;
          const double expected = std::clamp(real + 11, -128.0, 127.0);
          EXPECT_NEAR(static_cast<int8_t>(output[at]), expected, 0.5001) << at;
        }
}

TEST(ReferenceSoftmax, Rows_SumToOne) {
  GraphBuilder b;
  const int in = b.input({3, 10}, 0.2F, 5);
  const int out = b.activation({3, 10}, 1.0F / 256, -128);
  b.op(OperatorKind::kSoftmax, {in}, {out}, SoftmaxAttributes{});
  b.graph.outputs = {out};
  Rng rng(5);
  std::vector<uint8_t> input(30);
  for (uint8_t& byte : input) byte = static_cast<uint8_t>(rng.below(256));
  const auto values = run_reference(b.graph, std::vector<std::vector<uint8_t>>{input});
  ASSERT_TRUE(values);
  for (size_t row = 0; row < 3; ++row) {
    double sum = 0;
    for (size_t i = 0; i < 10; ++i) sum += std::exp(0.2 * static_cast<int8_t>(input[row * 10 + i]));
    for (size_t i = 0; i < 10; ++i) {
      const double expected = std::min(
          127.0, 256 * std::exp(0.2 * static_cast<int8_t>(input[row * 10 + i])) / sum - 128);
      EXPECT_NEAR(static_cast<int8_t>((*values)[static_cast<size_t>(out)][row * 10 + i]), expected,
                  0.51);
    }
  }
}

}  // namespace
}  // namespace tinytune
