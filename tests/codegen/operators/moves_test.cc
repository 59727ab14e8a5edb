#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "tests/codegen/graph_builder.h"
#include "tests/codegen/network_run.h"

namespace tinytune {
namespace {

using test::Bytes;
using test::expect_exact;
using test::GraphBuilder;
using test::seeded_inputs;

void expect_exact_seeded(const Graph& graph) {
  expect_exact(graph, *load_device("rv32imc"), seeded_inputs(graph, 5));
}

TEST(MoveEmitter, PadOddAndEvenSizes_EqualsTheReference) {
  for (const int c : {1, 3, 4, 8}) {
    GraphBuilder b;
    const int x = b.input({1, 5, 4, c}, 0.1f, 3);
    const int pads = b.integers({0, 0, 1, 2, 0, 3, 0, 0});
    const int y = b.op(OperatorKind::kPad, {x, pads}, {}, {1, 8, 7, c}, 0.1f, 3);
    expect_exact_seeded(b.finish({y}));
  }
}

TEST(MoveEmitter, ConcatenationOfThreeAndAConstant_EqualsTheReference) {
  GraphBuilder b;
  const int x = b.input({2, 3, 4}, 0.1f, 3), y = b.input({2, 1, 4}, 0.1f, 3);
  const int k = b.constant({2, 1, 4}, 0.1f, 3, {1, 2, 3, 4, 5, 6, 7, 8});
  const int z =
      b.op(OperatorKind::kConcatenation, {k, x, y}, AxisAttributes{1}, {2, 5, 4}, 0.1f, 3);
  const int soft =
      b.op(OperatorKind::kSoftmax, {z}, SoftmaxAttributes{}, {2, 5, 4}, 1.0f / 256, -128);
  expect_exact_seeded(b.finish({soft, z}));
}

TEST(MoveEmitter, Transpose_EqualsTheReference) {
  GraphBuilder b;
  const int x = b.input({2, 3, 5, 4}, 0.1f, 3), order = b.integers({0, 3, 1, 2});
  const int y = b.op(OperatorKind::kTranspose, {x, order}, {}, {2, 4, 3, 5}, 0.1f, 3);
  expect_exact_seeded(b.finish({y}));
}

TEST(MoveEmitter, SplitIntoThree_WritesEveryOutput) {
  GraphBuilder b;
  const int axis = b.integers({-1}), x = b.input({3, 6}, 0.1f, 3);
  const int first = b.op(OperatorKind::kSplit, {axis, x}, {}, {3, 2}, 0.1f, 3);
  const int second = b.more_output({3, 2}, 0.1f, 3), third = b.more_output({3, 2}, 0.1f, 3);
  expect_exact_seeded(b.finish({third, first, second}));
}

TEST(MoveEmitter, StridedSliceBackwards_EqualsTheReference) {
  GraphBuilder b;
  const int x = b.input({7, 4}, 0.1f, 3);
  const int begin = b.integers({6, 0}), end = b.integers({0, 4}), steps = b.integers({-2, 1});
  const int y = b.op(OperatorKind::kStridedSlice, {x, begin, end, steps}, StridedSliceAttributes{},
                     {3, 4}, 0.1f, 3);
  expect_exact_seeded(b.finish({y}));
}

TEST(ResizeEmitter, UpAndDown_EqualsTheReference) {
  for (const int c : {1, 4}) {
    GraphBuilder b;
    const int x = b.input({2, 5, 4, c}, 0.1f, 3), size = b.integers({9, 3});
    const int y = b.op(OperatorKind::kResizeNearestNeighbor, {x, size}, ResizeAttributes{},
                       {2, 9, 3, c}, 0.1f, 3);
    expect_exact_seeded(b.finish({y}));
  }
}

TEST(MeanEmitter, EveryChoiceOfAxes_EqualsTheReference) {
  const std::vector<int> shape = {2, 5, 3, 8};
  for (int mask = 1; mask < 16; ++mask) {
    SCOPED_TRACE("axes " + std::to_string(mask));
    std::vector<int32_t> axes;
    std::vector<int> out;
    for (int i = 0; i < 4; ++i)
      if ((mask >> i & 1) != 0)
        axes.push_back(i);
      else
        out.push_back(shape[static_cast<size_t>(i)]);
    GraphBuilder b;
    const int x = b.input(shape, 0.1f, 3), a = b.integers(axes);
    const int y = b.op(OperatorKind::kMean, {x, a}, ReducerAttributes{false}, out, 0.09f, -11);
    expect_exact_seeded(b.finish({y}));
  }
}

TEST(LookupEmitter, Activations_EqualTheReference) {
  for (const OperatorKind kind : {OperatorKind::kRelu, OperatorKind::kTanh, OperatorKind::kLogistic,
                                  OperatorKind::kHardSwish}) {
    SCOPED_TRACE(std::string(name_of(kind)));
    GraphBuilder b;
    const int x = b.input({1, 259}, 0.05f, 3);
    const bool squashes = kind == OperatorKind::kTanh || kind == OperatorKind::kLogistic;
    const float scale = kind == OperatorKind::kTanh ? 1.0f / 128 : squashes ? 1.0f / 256 : 0.06f;
    const int zero = kind == OperatorKind::kLogistic ? -128 : kind == OperatorKind::kTanh ? 0 : -7;
    const int y = b.op(kind, {x}, {}, {1, 259}, scale, zero);
    expect_exact_seeded(b.finish({y}));
  }
}

TEST(MulEmitter, EveryPairOfBytes_EqualsTheReference) {
  std::vector<Bytes> inputs(2);
  for (int i = 0; i < 65536; ++i) {
    inputs[0].push_back(static_cast<uint8_t>(i & 255));
    inputs[1].push_back(static_cast<uint8_t>(i >> 8));
  }
  for (const float scale : {0.002f, 0.03f, 0.5f, 3.0f}) {
    SCOPED_TRACE("scale " + std::to_string(scale));
    GraphBuilder b;
    const int x = b.input({65536}, 0.1f, -100), y = b.input({65536}, 0.2f, 77);
    const int z = b.op(OperatorKind::kMul, {x, y}, ActivationAttributes{}, {65536}, scale, 5);
    expect_exact(b.finish({z}), *load_device("rv32imc"), inputs);
  }
}

// The scales multiply to 0.01: every product 50 above or below a multiple of 100 is a tie, which is
// rounded away from zero.
TEST(MulEmitter, TiesOnBothSidesOfZero_NeedOneMultiplication) {
  GraphBuilder b;
  const int x = b.input({65536}, 0.05f, -10), y = b.input({65536}, 0.03f, 5);
  const int z = b.op(OperatorKind::kMul, {x, y}, ActivationAttributes{}, {65536}, 0.15f, 7);
  const Graph graph = b.finish({z});
  std::vector<Bytes> inputs(2);
  for (int i = 0; i < 65536; ++i) {
    inputs[0].push_back(static_cast<uint8_t>(i & 255));
    inputs[1].push_back(static_cast<uint8_t>(i >> 8));
  }
  const auto run = expect_exact(graph, *load_device("cortex-m4"), inputs);
  EXPECT_LT(run.instructions, 65536u * 16);
}

TEST(ExtremumEmitter, ConstantFirstOperand_EqualsTheReference) {
  GraphBuilder b;
  const int k = b.constant({3}, 0.1f, 3, {0, 200, 100}), x = b.input({5, 3}, 0.1f, 3);
  const int most = b.op(OperatorKind::kMaximum, {k, x}, {}, {5, 3}, 0.1f, 3);
  const int least = b.op(OperatorKind::kMinimum, {k, x}, {}, {5, 3}, 0.1f, 3);
  expect_exact_seeded(b.finish({most, least}));
}

Bytes float_bytes(const std::vector<float>& values) {
  Bytes bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

TEST(FloatBorder, RoundingCasesAndExtremes_EqualTheReference) {
  std::vector<float> values = {0.0f,
                               -0.0f,
                               1e30f,
                               -1e30f,
                               1e-42f,
                               std::numeric_limits<float>::infinity(),
                               -std::numeric_limits<float>::infinity(),
                               std::nanf("")};
  for (int i = -300; i <= 300; ++i)
    for (const float off : {0.0f, 0.5f, 0.49999997f, 0.50000006f})
      values.push_back((static_cast<float>(i) + off) * 0.0314f);
  const int n = static_cast<int>(values.size());
  for (const ElementType type : {ElementType::kInt8, ElementType::kUint8}) {
    SCOPED_TRACE(std::string(name_of(type)));
    const int zero = type == ElementType::kInt8 ? -9 : 119;
    GraphBuilder b;
    const int x = b.retype(b.input({n}, 1, 0), ElementType::kFloat32);
    const int q = b.retype(b.op(OperatorKind::kQuantize, {x}, {}, {n}, 0.0314f, zero), type);
    const int y =
        b.retype(b.op(OperatorKind::kDequantize, {q}, {}, {n}, 1, 0), ElementType::kFloat32);
    expect_exact(b.finish({y, q}), *load_device("rv32imc"), {float_bytes(values)});
  }
}

// Every step of the result and the floats beside it, for scales with any mantissa, powers of two,
// and scales so small or large that the steps are searched.
TEST(FloatBorder, EveryStepAndItsNeighbours_EqualTheReference) {
  for (const float scale :
       {0.0314f, 0.00390625f, 1.0f / 255, 0.99999994f, 1.0000001f, 7.3e-12f, 3e19f, 1e-33f, 2e35f})
    for (const int zero : {-128, 3, 127}) {
      std::vector<float> values;
      for (int i = -130 - zero; i <= 130 - zero; ++i) {
        float value = (static_cast<float>(i) - 0.5f) * scale;
        for (int back = 0; back < 3; ++back) value = std::nextafterf(value, -INFINITY);
        for (int step = 0; step < 6; ++step, value = std::nextafterf(value, INFINITY))
          values.push_back(value);
      }
      GraphBuilder b;
      const int n = static_cast<int>(values.size());
      const int x = b.retype(b.input({n}, 1, 0), ElementType::kFloat32);
      const Graph graph = b.finish({b.op(OperatorKind::kQuantize, {x}, {}, {n}, scale, zero)});
      SCOPED_TRACE(std::to_string(scale) + " " + std::to_string(zero));
      expect_exact(graph, *load_device("cortex-m4"), {float_bytes(values)});
    }
}

TEST(FloatBorder, Quantising_TakesAProductAndNoSearch) {
  constexpr int kElements = 1000;
  GraphBuilder b;
  const int x = b.retype(b.input({kElements}, 1, 0), ElementType::kFloat32);
  const Graph graph = b.finish({b.op(OperatorKind::kQuantize, {x}, {}, {kElements}, 0.0314f, -5)});
  std::vector<float> values;
  for (int i = 0; i < kElements; ++i) values.push_back(static_cast<float>(i - 500) * 0.0123f);
  for (const char* device : {"rv32imc", "cortex-m4"}) {
    const auto run = expect_exact(graph, *load_device(device), {float_bytes(values)});
    EXPECT_LT(run.layer_instructions.at(0), 40u * kElements)
        << device;  // a search takes 47 and more
  }
}

TEST(TransposeConvEmitter, StridesAndPadding_EqualTheReference) {
  for (const int stride : {1, 2, 3}) {
    SCOPED_TRACE("stride " + std::to_string(stride));
    GraphBuilder b;
    std::vector<uint8_t> weights;
    for (int i = 0; i < 5 * 3 * 2 * 4; ++i) weights.push_back(static_cast<uint8_t>(37 * i + 11));
    const int x = b.input({2, 4, 3, 4}, 0.1f, 3);
    const int k = b.constant({5, 3, 2, 4}, 0.02f, 0, weights);
    const std::vector<int> out = {2, 4 * stride, 3 * stride, 5};
    const int shape = b.integers({out[0], out[1], out[2], out[3]});
    const int y = b.op(OperatorKind::kTransposeConv, {shape, k, x},
                       TransposeConvAttributes{Padding::kSame, stride, stride}, out, 0.4f, -2);
    expect_exact_seeded(b.finish({y}));
  }
}

}  // namespace
}  // namespace tinytune
