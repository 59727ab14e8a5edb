// Operators beyond the MLPerf Tiny models, each written to a file, imported and run; expected
// values come from the definition in real numbers or from moving bytes by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>
#include <tuple>

#include "base/rng.h"
#include "examples/tflite_writer.h"
#include "models/integer_op.h"
#include "models/tflite/tflite.h"
#include "tests/models/operator_run.h"

namespace tinytune {
namespace {

using testing::ElementsAre;
TEST(Lookups, FunctionsOfOneValue_AreNearTheRealFunction) {
  for (float scale : {0.003F, 0.02F, 0.05F, 0.11F})
    for (int zero : {-128, -3, 40}) {
      expect_near_real(
          map_all(OperatorKind::kLogistic, scale, zero, 1.0F / 256, -128), scale, zero, 1.0F / 256,
          -128, [](double x) { return 1 / (1 + std::exp(-x)); }, 0.51);
      expect_near_real(
          map_all(OperatorKind::kTanh, scale, zero, 1.0F / 128, 0), scale, zero, 1.0F / 128, 0,
          [](double x) { return std::tanh(x); }, 0.51);
      expect_near_real(
          map_all(OperatorKind::kRelu, scale, zero, 0.04F, -100), scale, zero, 0.04F, -100,
          [](double x) { return std::max(x, 0.0); }, kTwoRoundings);
      expect_near_real(
          map_all(OperatorKind::kLeakyRelu, scale, zero, 0.04F, -7, LeakyReluAttributes{-0.3F}),
          scale, zero, 0.04F, -7, [](double x) { return x > 0 ? x : -0.3F * x; }, kTwoRoundings);
      expect_near_real(
          map_all(OperatorKind::kHardSwish, scale, zero, 0.05F, -50), scale, zero, 0.05F, -50,
          [](double x) { return x * std::clamp(x + 3, 0.0, 6.0) / 6; }, 1.1);
      expect_near_real(
          map_all(OperatorKind::kRelu6, scale, zero, scale, zero), scale, zero, scale, zero,
          [](double x) { return std::clamp(x, 0.0, 6.0); }, kTwoRoundings);
      expect_near_real(
          map_all(OperatorKind::kQuantize, scale, zero, 0.07F, 9), scale, zero, 0.07F, 9,
          [](double x) { return x; }, kTwoRoundings);
    }
}

TEST(Lookups, Gelu_IsTheNearestToTheRealFunction) {
  const auto by_erf = [](double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2.0)); };
  const auto by_tanh = [](double x) {
    return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x)));
  };
  for (float scale : {0.003F, 0.02F, 0.05F, 0.11F})
    for (int zero : {-128, -3, 40})
      for (float out : {0.01F, 0.07F}) {
        expect_near_real(map_all(OperatorKind::kGelu, scale, zero, out, -90, GeluAttributes{}),
                         scale, zero, out, -90, by_erf, 0.501);
        expect_near_real(map_all(OperatorKind::kGelu, scale, zero, out, -90, GeluAttributes{true}),
                         scale, zero, out, -90, by_tanh, 0.501);
      }
}

TEST(Lookups, LogisticOfAnotherZeroPoint_IsUnsupported) {
  GraphBuilder b;
  const int in = b.input({4});
  const int out = b.activation({4}, 1.0F / 256, 0);
  b.op(OperatorKind::kLogistic, {in}, {out});
  b.graph.outputs = {out};
  EXPECT_FALSE(import_tflite(write_tflite(b.graph), "m"));
}

TEST(Borders, FloatAndUint8_RoundAsDocumented) {
  GraphBuilder b;
  const int in = b.float_tensor({6});
  b.graph.inputs = {in};
  const int quantised = b.activation({6}, 0.5F, 3);
  const int bytes = b.activation({6}, 0.5F, 131);
  b.graph.tensors[static_cast<size_t>(bytes)].type = ElementType::kUint8;
  const int back = b.activation({6}, 0.5F, 3);
  const int out = b.float_tensor({6});
  b.op(OperatorKind::kQuantize, {in}, {quantised});
  b.op(OperatorKind::kQuantize, {quantised}, {bytes});
  b.op(OperatorKind::kQuantize, {bytes}, {back});
  b.op(OperatorKind::kDequantize, {back}, {out});
  b.graph.outputs = {out, bytes};
  const float reals[] = {0, 0.25F, -0.25F, 1e30F, -1e30F, std::nanf("")};
  Bytes input(sizeof(reals));
  std::memcpy(input.data(), reals, sizeof(reals));
  const auto values = run_imported(b.graph, {input});
  EXPECT_THAT(values_of(values[static_cast<size_t>(quantised)]),
              ElementsAre(3, 4, 2, 127, -128, 3));
  EXPECT_THAT(values[static_cast<size_t>(bytes)], ElementsAre(131, 132, 130, 255, 0, 131));
  EXPECT_EQ(values[static_cast<size_t>(back)], values[static_cast<size_t>(quantised)]);
  float floats[6];
  std::memcpy(floats, values[static_cast<size_t>(out)].data(), sizeof(floats));
  EXPECT_THAT(floats, ElementsAre(0, 0.5F, -0.5F, 62, -65.5F, 0));
}

struct Pair {
  Graph graph;
  int a, b, out;
};

Pair binary(OperatorKind kind, std::vector<int> a_shape, std::vector<int> b_shape,
            std::vector<int> out_shape, Attributes attributes) {
  GraphBuilder g;
  const int a = g.input(std::move(a_shape), 0.03F, -5), b = g.input(std::move(b_shape), 0.02F, 8);
  const int out = g.activation(std::move(out_shape), 0.05F, 2);
  g.op(kind, {a, b}, {out}, std::move(attributes));
  g.graph.outputs = {out};
  return {g.graph, a, b, out};
}

TEST(Elementwise, Broadcasting_FollowsTheDefinition) {
  const std::function<double(double, double)> functions[] = {
      [](double x, double y) { return x + y; }, [](double x, double y) { return x - y; },
      [](double x, double y) { return x * y; }};
  const OperatorKind kinds[] = {OperatorKind::kAdd, OperatorKind::kSub, OperatorKind::kMul};
  Rng rng(8);
  for (size_t f = 0; f < 3; ++f) {
    const Pair p = binary(kinds[f], {2, 1, 3, 4}, {5, 1, 4}, {2, 5, 3, 4}, ActivationAttributes{});
    Bytes a(24), b(20);
    for (uint8_t& byte : a) byte = static_cast<uint8_t>(rng.next());
    for (uint8_t& byte : b) byte = static_cast<uint8_t>(rng.next());
    const auto out = values_of(run_imported(p.graph, {a, b})[static_cast<size_t>(p.out)]);
    for (size_t i = 0; i < out.size(); ++i) {
      const size_t n = i / 60, h = i / 12 % 5, w = i / 4 % 3, c = i % 4;
      const double x = 0.03F * (static_cast<int8_t>(a[(n * 3 + w) * 4 + c]) + 5);
      const double y = 0.02F * (static_cast<int8_t>(b[h * 4 + c]) - 8);
      EXPECT_NEAR(out[i], std::clamp(functions[f](x, y) / 0.05F + 2, -128.0, 127.0), 0.6) << i;
    }
  }
}

TEST(Elementwise, ConstantFirstOperand_IsSubtractedFrom) {
  GraphBuilder g;
  const int constant = g.int8_constant({1}, {100}, 0.1F, 0);
  const int in = g.input({3}, 0.1F, 0);
  const int out = g.activation({3}, 0.1F, 0);
  g.op(OperatorKind::kSub, {constant, in}, {out}, ActivationAttributes{});
  g.graph.outputs = {out};
  EXPECT_THAT(values_of(run_imported(g.graph, {bytes_of({1, -20, 100})})[static_cast<size_t>(out)]),
              ElementsAre(99, 120, 0));
}

TEST(Elementwise, MaximumAndMinimum_CompareRawValues) {
  const Pair p = binary(OperatorKind::kMaximum, {3}, {3}, {3}, {});
  EXPECT_THAT(values_of(run_imported(p.graph, {bytes_of({1, -2, 3}),
                                               bytes_of({2, -3, 3})})[static_cast<size_t>(p.out)]),
              ElementsAre(2, -2, 3));
  const Pair q = binary(OperatorKind::kMinimum, {3}, {1}, {3}, {});
  EXPECT_THAT(values_of(run_imported(
                  q.graph, {bytes_of({1, -2, 3}), bytes_of({2})})[static_cast<size_t>(q.out)]),
              ElementsAre(1, -2, 2));
}

TEST(Elementwise, ShapesThatDoNotBroadcast_AreRefused) {
  const Pair p = binary(OperatorKind::kAdd, {3, 2}, {2, 3}, {3, 3}, ActivationAttributes{});
  EXPECT_FALSE(import_tflite(write_tflite(p.graph), "m"));
}

// Runs an operator on one input of counting values, with int32 constants after (or before) it.
std::vector<int> move(OperatorKind kind, std::vector<int> in_shape, std::vector<int> out_shape,
                      const std::vector<std::vector<int32_t>>& constants,
                      Attributes attributes = {}) {
  GraphBuilder g;
  const int in = g.input(in_shape, 0.5F, 7);
  std::vector<int> inputs = {in};
  for (const auto& values : constants)
    inputs.push_back(g.int32_constant({static_cast<int>(values.size())}, values));
  const int out = g.activation(std::move(out_shape), 0.5F, 7);
  if (kind == OperatorKind::kPad)
    g.graph.tensors[static_cast<size_t>(inputs[1])].shape = {
        static_cast<int>(constants[0].size()) / 2, 2};
  g.op(kind, inputs, {out}, std::move(attributes));
  g.graph.outputs = {out};
  const auto n = static_cast<int>(g.graph.tensor(in).elements());
  return values_of(run_imported(g.graph, {bytes_of(counting(n))})[static_cast<size_t>(out)]);
}

TEST(Moves, Pad_FillsWithTheZeroPoint) {
  EXPECT_THAT(move(OperatorKind::kPad, {2, 2}, {3, 4}, {{1, 0, 0, 2}}),
              ElementsAre(7, 7, 7, 7, 0, 1, 7, 7, 2, 3, 7, 7));
}

TEST(Moves, PadV2_FillsWithItsValue) {
  GraphBuilder g;
  const int in = g.input({2}, 0.5F, 7);
  const int pads = g.int32_constant({1, 2}, {1, 1});
  const int value = g.int8_constant({1}, {-9}, 0.5F, 7);
  const int out = g.activation({4}, 0.5F, 7);
  g.op(OperatorKind::kPadV2, {in, pads, value}, {out});
  g.graph.outputs = {out};
  EXPECT_THAT(values_of(run_imported(g.graph, {bytes_of({1, 2})})[static_cast<size_t>(out)]),
              ElementsAre(-9, 1, 2, -9));
}

TEST(Moves, Transpose_Permutes) {
  EXPECT_THAT(move(OperatorKind::kTranspose, {2, 3}, {3, 2}, {{1, 0}}),
              ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_THAT(move(OperatorKind::kTranspose, {2, 1, 3}, {3, 2, 1}, {{-1, 0, 1}}),
              ElementsAre(0, 3, 1, 4, 2, 5));
}

TEST(Moves, StridedSlice_TakesMasksAndNegativeStrides) {
  EXPECT_THAT(move(OperatorKind::kStridedSlice, {4, 3}, {2, 2}, {{1, 0}, {4, 3}, {2, 2}},
                   StridedSliceAttributes{}),
              ElementsAre(3, 5, 9, 11));
  EXPECT_THAT(move(OperatorKind::kStridedSlice, {4}, {4}, {{0}, {0}, {-1}},
                   StridedSliceAttributes{.begin_mask = 1, .end_mask = 1}),
              ElementsAre(3, 2, 1, 0));
  EXPECT_THAT(move(OperatorKind::kStridedSlice, {2, 3}, {3}, {{-1, 0}, {0, 3}, {1, 1}},
                   StridedSliceAttributes{.shrink_axis_mask = 1}),
              ElementsAre(3, 4, 5));
}

TEST(Moves, SqueezeAndExpandDims_KeepBytes) {
  EXPECT_THAT(move(OperatorKind::kSqueeze, {1, 3, 1}, {3}, {}), ElementsAre(0, 1, 2));
  EXPECT_THAT(move(OperatorKind::kExpandDims, {3}, {3, 1}, {{-1}}), ElementsAre(0, 1, 2));
}

TEST(Moves, ResizeNearestNeighbour_PicksTheDocumentedPixels) {
  EXPECT_THAT(move(OperatorKind::kResizeNearestNeighbor, {1, 1, 3, 1}, {1, 2, 5, 1}, {{2, 5}},
                   ResizeAttributes{}),
              ElementsAre(0, 0, 1, 1, 2, 0, 0, 1, 1, 2));
  EXPECT_THAT(move(OperatorKind::kResizeNearestNeighbor, {1, 1, 3, 1}, {1, 1, 5, 1}, {{1, 5}},
                   ResizeAttributes{.align_corners = true}),
              ElementsAre(0, 1, 1, 2, 2));
  EXPECT_THAT(move(OperatorKind::kResizeNearestNeighbor, {1, 1, 4, 1}, {1, 1, 2, 1}, {{1, 2}},
                   ResizeAttributes{.half_pixel_centers = true}),
              ElementsAre(1, 3));
}

TEST(Moves, ConcatenationAndPack_JoinInputsAndConstants) {
  GraphBuilder g;
  const int a = g.input({2, 2}), b = g.input({2, 2});
  const int c = g.int8_constant({2, 1}, {50, 60}, 0.5F, 0);
  const int joined = g.activation({2, 5}), packed = g.activation({2, 2, 2});
  g.op(OperatorKind::kConcatenation, {a, c, b}, {joined}, AxisAttributes{-1});
  g.op(OperatorKind::kPack, {a, b}, {packed}, AxisAttributes{1});
  g.graph.outputs = {packed, joined};
  const auto values = run_imported(g.graph, {bytes_of({0, 1, 2, 3}), bytes_of({10, 11, 12, 13})});
  EXPECT_THAT(values_of(values[static_cast<size_t>(joined)]),
              ElementsAre(0, 1, 50, 10, 11, 2, 3, 60, 12, 13));
  EXPECT_THAT(values_of(values[static_cast<size_t>(packed)]),
              ElementsAre(0, 1, 10, 11, 2, 3, 12, 13));
}

TEST(Moves, SplitsAndUnpack_FillEveryOutput) {
  GraphBuilder g;
  const int in = g.input({2, 4});
  const int axis = g.int32_constant({}, {-1});
  const int sizes = g.int32_constant({2}, {-1, 1});
  const int left = g.activation({2, 2}), right = g.activation({2, 2});
  const int most = g.activation({2, 3}), last = g.activation({2, 1});
  const int top = g.activation({4}), bottom = g.activation({4});
  g.op(OperatorKind::kSplit, {axis, in}, {left, right});
  g.op(OperatorKind::kSplitV, {in, sizes, axis}, {most, last});
  g.op(OperatorKind::kUnpack, {in}, {top, bottom}, AxisAttributes{0});
  g.graph.outputs = {left, right, most, last, top, bottom};
  const auto values = run_imported(g.graph, {bytes_of(counting(8))});
  const auto of = [&](int id) { return values_of(values[static_cast<size_t>(id)]); };
  EXPECT_THAT(of(left), ElementsAre(0, 1, 4, 5));
  EXPECT_THAT(of(right), ElementsAre(2, 3, 6, 7));
  EXPECT_THAT(of(most), ElementsAre(0, 1, 2, 4, 5, 6));
  EXPECT_THAT(of(last), ElementsAre(3, 7));
  EXPECT_THAT(of(top), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(of(bottom), ElementsAre(4, 5, 6, 7));
}

TEST(Moves, BadAxes_AreRefused) {
  for (int axis : {2, -3, 100}) {
    GraphBuilder g;
    const int a = g.input({2, 2});
    const int out = g.activation({2, 2});
    g.op(OperatorKind::kConcatenation, {a}, {out}, AxisAttributes{axis});
    g.graph.outputs = {out};
    const auto result = import_tflite(write_tflite(g.graph), "m");
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code(), ErrorCode::kInvalidInput);
  }
}

TEST(Mean, AnyAxes_AreNearTheRealMean) {
  Rng rng(9);
  for (const auto& [axes, keep, shape] :
       std::vector<std::tuple<std::vector<int32_t>, bool, std::vector<int>>>{
           {{1, 2}, true, {2, 1, 1, 5}}, {{-1}, false, {2, 3, 4}}, {{0, 2, 0}, false, {3, 5}}}) {
    GraphBuilder g;
    const int in = g.input({2, 3, 4, 5}, 0.02F, -20);
    const int axis = g.int32_constant({static_cast<int>(axes.size())}, axes);
    const int out = g.activation(shape, 0.015F, 4);
    g.op(OperatorKind::kMean, {in, axis}, {out}, ReducerAttributes{keep});
    g.graph.outputs = {out};
    Bytes input(120);
    for (uint8_t& byte : input) byte = static_cast<uint8_t>(rng.next());
    const auto got = values_of(run_imported(g.graph, {input})[static_cast<size_t>(out)]);
    std::vector<double> sums(got.size(), 0);
    const auto reduced = [&axes = axes](int a) {
      return std::find(axes.begin(), axes.end(), a) != axes.end() ||
             std::find(axes.begin(), axes.end(), a - 4) != axes.end();
    };
    const int extents[] = {2, 3, 4, 5};
    for (size_t i = 0; i < input.size(); ++i) {
      size_t rest = i, at = 0, step = 1;
      for (int a = 3; a >= 0; --a) {
        const size_t index = rest % static_cast<size_t>(extents[a]);
        rest /= static_cast<size_t>(extents[a]);
        if (!reduced(a)) at += index * step, step *= static_cast<size_t>(extents[a]);
      }
      sums[at] += 0.02F * (static_cast<int8_t>(input[i]) + 20);
    }
    for (size_t i = 0; i < got.size(); ++i) {
      const double mean = sums[i] * static_cast<double>(got.size()) / 120;
      EXPECT_NEAR(got[i], std::clamp(mean / 0.015F + 4, -128.0, 127.0), kTwoRoundings);
    }
  }
}

TEST(TransposeConv, Scatter_IsTheAdjointOfConvolution) {
  GraphBuilder g;
  const int in = g.input({1, 3, 2, 3}, 0.05F, 6);
  const int shape = g.int32_constant({4}, {1, 6, 4, 2});
  const int weights = g.weights({2, 3, 3, 3}, {0.01F, 0.02F}, 0, 5);
  const int bias = g.int32_constant({2}, {300, -77});
  const int out = g.activation({1, 6, 4, 2}, 0.3F, -1);
  g.op(OperatorKind::kTransposeConv, {shape, weights, in, bias}, {out},
       TransposeConvAttributes{.stride_h = 2, .stride_w = 2});
  g.graph.outputs = {out};
  Rng rng(10);
  Bytes input(18);
  for (uint8_t& byte : input) byte = static_cast<uint8_t>(rng.next());
  const auto got = values_of(run_imported(g.graph, {input})[static_cast<size_t>(out)]);
  const Tensor& w = g.graph.tensor(weights);
  for (int oh = 0; oh < 6; ++oh)
    for (int ow = 0; ow < 4; ++ow)
      for (int c = 0; c < 2; ++c) {
        int64_t sum = c == 0 ? 300 : -77;  // gather form; SAME pads 0 at the start here
        for (int kh = 0; kh < 3; ++kh)
          for (int kw = 0; kw < 3; ++kw) {
            if (oh < kh || ow < kw || (oh - kh) % 2 != 0 || (ow - kw) % 2 != 0) continue;
            const int ih = (oh - kh) / 2, iw = (ow - kw) / 2;
            if (ih >= 3 || iw >= 2) continue;
            for (int i = 0; i < 3; ++i)
              sum +=
                  (static_cast<int8_t>(input[static_cast<size_t>((ih * 2 + iw) * 3 + i)]) - 6) *
                  static_cast<int8_t>(w.data[static_cast<size_t>(((c * 3 + kh) * 3 + kw) * 3 + i)]);
          }
        const double real = static_cast<double>(sum) * 0.05F * (c == 0 ? 0.01F : 0.02F) / 0.3F - 1;
        EXPECT_NEAR(got[static_cast<size_t>((oh * 4 + ow) * 2 + c)],
                    std::clamp(real, -128.0, 127.0), kTwoRoundings);
      }
}

}  // namespace
}  // namespace tinytune
