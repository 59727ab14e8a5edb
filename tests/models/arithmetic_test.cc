// Operators that compute, each written to a file, imported and run; expected values come from their
// definition in real numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/little_endian.h"
#include "base/rng.h"
#include "models/reference/fixed_point.h"
#include "tests/models/operator_run.h"

namespace tinytune {
namespace {

using testing::ElementsAre;

Bytes random_bytes(size_t count, uint64_t seed) {
  Rng rng(seed);
  Bytes bytes(count);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(rng.below(256));
  return bytes;
}

TEST(Lookups, EluAbsAndRsqrt_AreNearTheRealFunction) {
  for (const float scale : {0.003F, 0.02F, 0.11F})
    for (const int zero : {-128, -3, 40}) {
      expect_near_real(
          map_all(OperatorKind::kElu, scale, zero, 0.05F, -60), scale, zero, 0.05F, -60,
          [](double x) { return x > 0 ? x : std::exp(x) - 1; }, 0.51);
      expect_near_real(
          map_all(OperatorKind::kAbs, scale, zero, 0.04F, -100), scale, zero, 0.04F, -100,
          [](double x) { return std::abs(x); }, kTwoRoundings);
    }
  const std::vector<int> roots = map_all(OperatorKind::kRsqrt, 0.05F, -128, 0.04F, -128);
  EXPECT_EQ(roots[0], 127);  // the reciprocal root of zero is the largest value
  for (int x = 1; x < 256; ++x)
    ASSERT_NEAR(roots[static_cast<size_t>(x)],
                std::min(127.0, 1 / std::sqrt(0.05 * x) / 0.04 - 128), kTwoRoundings)
        << x;
}

// Quantisation of an operand of 8x8 elements, of a row of 8 that is broadcast, and of the result.
struct PairOfScales {
  float scale1, scale2, scale;
  int zero1, zero2, zero;
};

void expect_near_pair(OperatorKind kind, const PairOfScales& p, Attributes attributes,
                      const std::function<double(double, double)>& f, double tolerance) {
  GraphBuilder b;
  const int x = b.input({8, 8}, p.scale1, p.zero1), y = b.input({8}, p.scale2, p.zero2);
  const int z = b.activation({8, 8}, p.scale, p.zero);
  b.op(kind, {x, y}, {z}, std::move(attributes));
  b.graph.outputs = {z};
  const Bytes first = random_bytes(64, 3), second = random_bytes(8, 4);
  const auto got = values_of(run_imported(b.graph, {first, second})[static_cast<size_t>(z)]);
  for (size_t i = 0; i < got.size(); ++i) {
    const double u = double{p.scale1} * (static_cast<int8_t>(first[i]) - p.zero1);
    const double v = double{p.scale2} * (static_cast<int8_t>(second[i % 8]) - p.zero2);
    const double real = f(u, v) / double{p.scale} + p.zero;
    EXPECT_NEAR(got[i], std::clamp(real, -128.0, 127.0), tolerance) << i << ": " << u << ", " << v;
  }
}

TEST(Pairs, AreNearTheRealFunction) {
  expect_near_pair(
      OperatorKind::kSquaredDifference, {0.02F, 0.05F, 0.3F, 3, -9, -100}, {},
      [](double a, double b) { return (a - b) * (a - b); }, 1.0);
  expect_near_pair(
      OperatorKind::kPrelu, {0.02F, 0.01F, 0.02F, 3, -9, 10}, {},
      [](double a, double b) { return a >= 0 ? a : a * b; }, kTwoRoundings);
  expect_near_pair(
      OperatorKind::kDiv, {0.02F, 0.05F, 0.04F, 3, -111, 10}, ActivationAttributes{},
      [](double a, double b) { return a / b; }, 1.0);
}

// tests/golden's graphs have TensorFlow Lite Micro's own answers to this.
TEST(Pairs, DivisionByZero_RunsThroughTheReciprocalOfZero) {
  GraphBuilder b;
  const int x = b.input({3}, 0.1F, 5), y = b.int8_constant({1}, {7}, 0.1F, 7);
  const int z = b.activation({3}, 0.1F, 11);
  b.op(OperatorKind::kDiv, {x, y}, {z}, ActivationAttributes{});
  b.graph.outputs = {z};
  EXPECT_THAT(values_of(run_imported(b.graph, {{6, 5, 4}})[static_cast<size_t>(z)]),
              ElementsAre(-3, 11, 25));
}

TEST(Sums, AddNAndCumsum_AreNearTheRealSum) {
  GraphBuilder b;
  const int x = b.input({4, 3}, 0.1F, 0), y = b.input({4, 3}, 0.1F, 0);
  const int axis = b.int32_constant({1}, {0});
  const int sum = b.activation({4, 3}, 0.3F, 5), running = b.activation({4, 3}, 0.3F, 5);
  const int back = b.activation({4, 3}, 0.3F, 5);
  b.op(OperatorKind::kAddN, {x, y, x}, {sum});
  b.op(OperatorKind::kCumsum, {x, axis}, {running}, CumsumAttributes{});
  b.op(OperatorKind::kCumsum, {x, axis}, {back}, CumsumAttributes{true, true});
  b.graph.outputs = {sum, running, back};
  const Bytes u = random_bytes(12, 5), v = random_bytes(12, 6);
  const auto values = run_imported(b.graph, {u, v});
  const auto real = [](uint8_t byte) { return 0.1 * static_cast<int8_t>(byte); };
  const auto near = [](int got, double wanted) {
    EXPECT_NEAR(got, std::clamp(wanted / 0.3 + 5, -128.0, 127.0), kTwoRoundings);
  };
  for (size_t c = 0; c < 3; ++c) {
    double forward = 0, backward = 0;
    for (size_t r = 0; r < 4; ++r) {
      const size_t i = r * 3 + c, j = (3 - r) * 3 + c;
      near(values_of(values[static_cast<size_t>(sum)])[i], 2 * real(u[i]) + real(v[i]));
      near(values_of(values[static_cast<size_t>(running)])[i], forward += real(u[i]));
      near(values_of(values[static_cast<size_t>(back)])[j], backward);
      backward += real(u[j]);
    }
  }
}

// Runs an operator on tensors without scales; a second operand of one element is broadcast.
template <typename T>
std::vector<T> raw_results(OperatorKind kind, ElementType type, const std::vector<T>& first,
                           const std::vector<T>& second, Attributes attributes = {}) {
  GraphBuilder b;
  const auto tensor = [&](size_t elements, bool is_input) {
    const std::vector<int> shape = {static_cast<int>(elements)};
    const int id = is_input ? b.input(shape) : b.activation(shape);
    Tensor& t = b.graph.tensors[static_cast<size_t>(id)];
    t.type = type;
    if (type == ElementType::kInt32) t.quantization = {};
    return id;
  };
  const int x = tensor(first.size(), true), y = tensor(second.size(), true);
  const int z = tensor(first.size(), false);
  b.op(kind, {x, y}, {z}, std::move(attributes));
  b.graph.outputs = {z};
  const Bytes bytes = run_imported(
      b.graph, {little_endian_bytes(first), little_endian_bytes(second)})[static_cast<size_t>(z)];
  std::vector<T> values;
  for (size_t at = 0; at < bytes.size(); at += sizeof(T))
    values.push_back(little_endian_at<T>(bytes, at));
  return values;
}

constexpr int32_t kLeast = std::numeric_limits<int32_t>::min();
constexpr int32_t kMost = std::numeric_limits<int32_t>::max();

std::vector<int32_t> whole_results(OperatorKind kind, const std::vector<int32_t>& first,
                                   const std::vector<int32_t>& second, Attributes attributes = {}) {
  return raw_results(kind, ElementType::kInt32, first, second, std::move(attributes));
}

TEST(RawArithmetic, OfInt32_Wraps) {
  const ActivationAttributes none;
  EXPECT_THAT(whole_results(OperatorKind::kAdd, {3, kMost, kLeast}, {4, 1, -1}, none),
              ElementsAre(7, kLeast, kMost));
  EXPECT_THAT(whole_results(OperatorKind::kSub, {3, kLeast, kMost}, {1}, none),
              ElementsAre(2, kMost, kMost - 1));
  EXPECT_THAT(whole_results(OperatorKind::kMul, {-3, 1 << 16, kLeast}, {5, 1 << 16, -1}, none),
              ElementsAre(-15, 0, kLeast));
  EXPECT_THAT(whole_results(OperatorKind::kMaximum, {kLeast, -2, 5}, {kMost, -3, 5}),
              ElementsAre(kMost, -2, 5));
  EXPECT_THAT(whole_results(OperatorKind::kMinimum, {kLeast, -2, 5}, {0}),
              ElementsAre(kLeast, -2, 0));
}

TEST(RawArithmetic, OfInt32_ClampsButForSums) {
  const ActivationAttributes relu6{Activation::kRelu6}, unit{Activation::kReluN1To1};
  EXPECT_THAT(whole_results(OperatorKind::kSub, {-9, 5, 9}, {0}, relu6), ElementsAre(0, 5, 6));
  EXPECT_THAT(whole_results(OperatorKind::kMul, {-9, 0, 9}, {2}, unit), ElementsAre(-1, 0, 1));
  EXPECT_THAT(whole_results(OperatorKind::kAdd, {-9, 5, 9}, {0}, relu6), ElementsAre(-9, 5, 9));
}

TEST(RawArithmetic, ExtremaOfInt16_CompareRawValues) {
  const std::vector<int16_t> first = {-32768, 300, 7}, second = {32767, -300, 7};
  EXPECT_THAT(raw_results(OperatorKind::kMaximum, ElementType::kInt16, first, second),
              ElementsAre(32767, 300, 7));
  EXPECT_THAT(raw_results(OperatorKind::kMinimum, ElementType::kInt16, first, second),
              ElementsAre(-32768, -300, 7));
}

TEST(Predicates, CompareRealNumbersAndSelect) {
  GraphBuilder b;
  const int x = b.input({2, 2}, 0.5F, 0), y = b.input({2}, 0.25F, 2);
  const int less = b.activation({2, 2}), not_less = b.activation({2, 2}), all = b.activation({2});
  const int chosen = b.activation({2, 2}, 0.5F, 0), number = b.activation({2, 2});
  for (const int id : {less, not_less, all})
    b.graph.tensors[static_cast<size_t>(id)].type = ElementType::kBool;
  b.graph.tensors[static_cast<size_t>(number)].type = ElementType::kInt32;
  const int axis = b.int32_constant({1}, {1}), zero = b.int8_constant({1}, {-1}, 0.5F, 0);
  b.op(OperatorKind::kLess, {x, y}, {less});
  b.op(OperatorKind::kLogicalNot, {less}, {not_less});
  b.op(OperatorKind::kReduceAll, {less, axis}, {all}, ReducerAttributes{});
  b.op(OperatorKind::kSelectV2, {less, x, zero}, {chosen});
  b.op(OperatorKind::kCast, {less}, {number});
  b.graph.outputs = {not_less, all, chosen, number};
  // 0.5, 1, 1.5, 2 against 1 and 2.
  const auto values = run_imported(b.graph, {{1, 2, 3, 4}, {6, 10}});
  EXPECT_THAT(values[static_cast<size_t>(less)], ElementsAre(1, 1, 0, 0));
  EXPECT_THAT(values[static_cast<size_t>(not_less)], ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(values[static_cast<size_t>(all)], ElementsAre(1, 0));
  EXPECT_THAT(values_of(values[static_cast<size_t>(chosen)]), ElementsAre(1, 2, -1, -1));
  EXPECT_EQ(values[static_cast<size_t>(number)][4], 1);
}

TEST(Reductions, ExtremesSumsAndTheirPlaces) {
  GraphBuilder b;
  const int x = b.input({2, 3}, 0.5F, 1), axis = b.int32_constant({1}, {-1});
  const int most = b.activation({2}, 0.5F, 1), least = b.activation({2, 1}, 0.5F, 1);
  const int sum = b.activation({2}, 1.0F, 0), where = b.activation({2});
  b.graph.tensors[static_cast<size_t>(where)].type = ElementType::kInt32;
  b.op(OperatorKind::kReduceMax, {x, axis}, {most}, ReducerAttributes{});
  b.op(OperatorKind::kReduceMin, {x, axis}, {least}, ReducerAttributes{true});
  b.op(OperatorKind::kSum, {x, axis}, {sum}, ReducerAttributes{});
  b.op(OperatorKind::kArgMax, {x, axis}, {where});
  b.graph.outputs = {most, least, sum, where};
  const auto values = run_imported(b.graph, {bytes_of({5, 9, 9, -7, -3, -128})});
  EXPECT_THAT(values_of(values[static_cast<size_t>(most)]), ElementsAre(9, -3));
  EXPECT_THAT(values_of(values[static_cast<size_t>(least)]), ElementsAre(5, -128));
  EXPECT_THAT(values_of(values[static_cast<size_t>(sum)]),
              ElementsAre(10, -70));  // 20 / 2 and -141 / 2, ties up
  EXPECT_THAT(values[static_cast<size_t>(where)], ElementsAre(1, 0, 0, 0, 1, 0, 0, 0));
}

TEST(Resizes, BilinearBetweenFourPixels) {
  const auto resized = [](const ResizeAttributes& a) {
    GraphBuilder b;
    const int x = b.input({1, 2, 2, 1}), size = b.int32_constant({2}, {3, 3});
    const int y = b.activation({1, 3, 3, 1});
    b.op(OperatorKind::kResizeBilinear, {x, size}, {y}, a);
    b.graph.outputs = {y};
    return values_of(run_imported(b.graph, {bytes_of({0, 60, -60, 0})})[static_cast<size_t>(y)]);
  };
  EXPECT_THAT(resized({true, false}), ElementsAre(0, 30, 60, -30, 0, 30, -60, -30, 0));
  EXPECT_THAT(resized({false, false}), ElementsAre(0, 40, 60, -40, 0, 20, -60, -20, 0));
}

TEST(Products, BatchMatMul_EveryExchangeOfAxes) {
  for (const bool adj_x : {false, true})
    for (const bool adj_y : {false, true})
      for (const bool constant : {false, true}) {
        GraphBuilder b;
        const Bytes u = random_bytes(2 * 3 * 5, 7), v = random_bytes(5 * 4, 8);
        const std::vector<int> right = adj_y ? std::vector<int>{4, 5} : std::vector<int>{5, 4};
        const int x =
            b.input(adj_x ? std::vector<int>{2, 5, 3} : std::vector<int>{2, 3, 5}, 0.02F, -7);
        const int w = constant ? b.int8_constant(right, {v.begin(), v.end()}, 0.03F, 0)
                               : b.input(right, 0.03F, 0);
        const int y = b.activation({2, 3, 4}, 0.5F, 9);
        b.op(OperatorKind::kBatchMatMul, {x, w}, {y}, BatchMatMulAttributes{adj_x, adj_y});
        b.graph.outputs = {y};
        const std::vector<Bytes> inputs =
            constant ? std::vector<Bytes>{u} : std::vector<Bytes>{u, v};
        const auto got = values_of(run_imported(b.graph, inputs)[static_cast<size_t>(y)]);
        for (size_t n = 0; n < 2; ++n)
          for (size_t i = 0; i < 3; ++i)
            for (size_t j = 0; j < 4; ++j) {
              double real = 0;
              for (size_t k = 0; k < 5; ++k) {
                const uint8_t l = u[n * 15 + (adj_x ? k * 3 + i : i * 5 + k)];
                const uint8_t r = v[adj_y ? j * 5 + k : k * 4 + j];
                real += 0.02 * (static_cast<int8_t>(l) + 7) * 0.03 * static_cast<int8_t>(r);
              }
              EXPECT_NEAR(got[n * 12 + i * 4 + j], std::clamp(real / 0.5 + 9, -128.0, 127.0),
                          kTwoRoundings);
            }
        // A product with a constant, unless adj_x, is a kernel, whose workload is tuned.
        const Graph graph = imported(b.graph);
        const auto form = prepare(graph, graph.operators[0]);
        ASSERT_TRUE(form);
        EXPECT_EQ(std::holds_alternative<KernelOp>(*form), constant && !adj_x);
      }
}

TEST(Normalisation, RowsOfLengthOneAndLogarithms) {
  GraphBuilder b;
  const int x = b.input({3, 5}, 0.2F, 4);
  const int unit = b.activation({3, 5}, 1.0F / 128, 0), log = b.activation({3, 5}, 1.0F / 16, 127);
  b.op(OperatorKind::kL2Normalization, {x}, {unit});
  b.op(OperatorKind::kLogSoftmax, {x}, {log});
  b.graph.outputs = {unit, log};
  const Bytes u = random_bytes(15, 9);
  const auto values = run_imported(b.graph, {u});
  for (size_t row = 0; row < 3; ++row) {
    double squares = 0, exponentials = 0;
    const auto real = [&](size_t i) { return 0.2 * (static_cast<int8_t>(u[row * 5 + i]) - 4); };
    for (size_t i = 0; i < 5; ++i) squares += real(i) * real(i), exponentials += std::exp(real(i));
    for (size_t i = 0; i < 5; ++i) {
      EXPECT_NEAR(values_of(values[static_cast<size_t>(unit)])[row * 5 + i],
                  std::min(127.0, real(i) / std::sqrt(squares) * 128), 1.01);
      EXPECT_NEAR(values_of(values[static_cast<size_t>(log)])[row * 5 + i],
                  std::max(-128.0, (real(i) - std::log(exponentials)) * 16 + 127), 0.52);
    }
  }
}

TEST(FixedPoint, RootsReciprocalsAndLogarithms_AreNearTheReal) {
  for (int32_t x = 1; x < 1'800'000'000; x += 1 + x / 7) {
    const auto root = fixed_point::inverse_square_root(x);
    EXPECT_NEAR(std::ldexp(root.multiplier, root.shift - 31) * std::sqrt(x), 1, 1e-4) << x;
    const auto inverse = fixed_point::reciprocal(x);
    EXPECT_NEAR(std::ldexp(inverse.multiplier, -inverse.bits - 31) * x, 1, 1e-6) << x;
    if (x < 1 << 19) continue;
    const int32_t log = fixed_point::log_of_sum(x);
    EXPECT_GE(log, 0) << x;
    EXPECT_NEAR(std::ldexp(log, -26), std::log(std::ldexp(x, -19)), 1e-5) << x;
  }
}

}  // namespace
}  // namespace tinytune
