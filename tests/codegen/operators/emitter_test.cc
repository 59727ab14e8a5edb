#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rng.h"
#include "models/operators/elementwise/emit_linear_add.h"
#include "tests/codegen/graph_builder.h"
#include "tests/codegen/network_run.h"

namespace tinytune {
namespace {

using test::expect_exact;
using test::GraphBuilder;
using test::seeded_inputs;

Device counter() { return *load_device("rv32imc"); }

int below(Rng& rng, int bound) { return static_cast<int>(rng.below(static_cast<uint64_t>(bound))); }

int extent(int in, const PoolAttributes& a, int filter, int stride) {
  return a.padding == Padding::kSame ? (in + stride - 1) / stride : (in - filter) / stride + 1;
}

Graph random_pool(Rng& rng) {
  PoolAttributes a;
  const int h = 1 + below(rng, 9), w = 1 + below(rng, 9), c = 1 + below(rng, 19);
  const int n = 1 + below(rng, 2);
  a.padding = below(rng, 2) == 0 ? Padding::kSame : Padding::kValid;
  a.filter_h = 1 + below(rng, a.padding == Padding::kSame ? 12 : h);
  a.filter_w = 1 + below(rng, a.padding == Padding::kSame ? 12 : w);
  a.stride_h = 1 + below(rng, 3), a.stride_w = 1 + below(rng, 3);
  a.activation = below(rng, 2) == 0 ? Activation::kNone : Activation::kRelu6;
  GraphBuilder b;
  const int zero_point = below(rng, 256) - 128;
  const int x = b.input({n, h, w, c}, 0.07f, zero_point);
  const auto kind = below(rng, 3) == 0 ? OperatorKind::kMaxPool2d : OperatorKind::kAveragePool2d;
  const int y =
      b.op(kind, {x}, a,
           {n, extent(h, a, a.filter_h, a.stride_h), extent(w, a, a.filter_w, a.stride_w), c},
           0.07f, zero_point);
  return b.finish({y});
}

TEST(PoolEmitter, RandomShapes_EqualTheReference) {
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng(seed);
    const Graph graph = random_pool(rng);
    expect_exact(graph, counter(), seeded_inputs(graph, 1 + static_cast<uint32_t>(seed)));
  }
}

TEST(CompareEmitter, WordsThatRepeat_AreNotOverwrittenAsTheyAreRead) {
  GraphBuilder b;
  const int x = b.retype(b.input({1, 5, 4, 3}, 1, 0), ElementType::kInt32);
  const int y = b.retype(b.input({1, 5, 1, 3}, 1, 0), ElementType::kInt32);  // 60 bytes, as z
  const int z = b.op(OperatorKind::kGreater, {x, y}, {}, {1, 5, 4, 3}, 1, 0);
  b.retype(z, ElementType::kBool);
  Graph graph = b.finish({z});
  for (Tensor& t : graph.tensors) t.quantization = {};
  expect_exact(graph, counter(), seeded_inputs(graph, 5));
}

TEST(SoftmaxEmitter, ScalesFromFlatToSteep_EqualTheReference) {
  for (const float scale : {1e-4f, 0.0146f, 0.17f, 0.9f, 11.0f}) {
    for (const int depth : {1, 2, 12, 700}) {
      SCOPED_TRACE("scale " + std::to_string(scale) + ", depth " + std::to_string(depth));
      GraphBuilder b;
      const int x = b.input({3, depth}, scale, -5);
      const int y =
          b.op(OperatorKind::kSoftmax, {x}, SoftmaxAttributes{}, {3, depth}, 1.0f / 256, -128);
      const Graph graph = b.finish({y});
      expect_exact(graph, counter(), seeded_inputs(graph, 7));
      expect_exact(graph, counter(), {test::Bytes(static_cast<size_t>(3 * depth), 0x80)});
    }
  }
}

Graph sum(std::vector<int> shape1, float scale1, int zero1, std::vector<int> shape2, float scale2,
          int zero2, float scale, int zero, Activation activation) {
  GraphBuilder b;
  const int x = b.input(shape1, scale1, zero1), y = b.input(shape2, scale2, zero2);
  std::vector<int> shape = shape1.size() >= shape2.size() ? shape1 : shape2;
  for (size_t i = 0; i < std::min(shape1.size(), shape2.size()); ++i)
    shape[shape.size() - 1 - i] =
        std::max(shape1[shape1.size() - 1 - i], shape2[shape2.size() - 1 - i]);
  const int z =
      b.op(OperatorKind::kAdd, {x, y}, ActivationAttributes{activation}, shape, scale, zero);
  return b.finish({z});
}

TEST(AddEmitter, EveryPairOfBytes_EqualsTheReference) {
  struct Case {
    float scale1, scale2, scale;
    int zero1, zero2, zero;
    Activation activation;
  };
  for (const Case& c :
       {Case{0.0393935516f, 0.104194961f, 0.0509456731f, -128, 4, -128, Activation::kRelu},
        Case{0.0447614267f, 0.113118842f, 0.0532362163f, -17, 4, -128, Activation::kRelu},
        Case{0.5f, 0.5f, 0.5f, 0, 0, 0, Activation::kNone},
        Case{1.0f, 0.5f, 1.0f, 3, -7, 11, Activation::kNone},
        Case{1e-6f, 0.3f, 0.2f, 12, 99, -3, Activation::kRelu6}}) {
    SCOPED_TRACE("scales " + std::to_string(c.scale1) + " " + std::to_string(c.scale2));
    const Graph graph =
        sum({65536}, c.scale1, c.zero1, {65536}, c.scale2, c.zero2, c.scale, c.zero, c.activation);
    std::vector<test::Bytes> inputs(2);
    for (int i = 0; i < 65536; ++i) {
      inputs[0].push_back(static_cast<uint8_t>(i & 255));
      inputs[1].push_back(static_cast<uint8_t>(i >> 8));
    }
    expect_exact(graph, counter(), inputs);
  }
}

TEST(AddEmitter, RepeatedOperands_EqualTheReference) {
  const Graph row = sum({2, 3, 4, 7}, 0.1f, 3, {7}, 0.2f, -9, 0.25f, 1, Activation::kNone);
  expect_exact(row, counter(), seeded_inputs(row, 3));
  const Graph outer = sum({5, 1}, 0.1f, 3, {1, 6}, 0.2f, -9, 0.25f, 1, Activation::kNone);
  expect_exact(outer, counter(), seeded_inputs(outer, 4));
}

TEST(LinearAdd, ResnetsSums_HaveALinearForm) {
  AddOp op;
  op.input1_offset = 128, op.input2_offset = -4, op.output_offset = -128;
  op.input1_multiplier = 1623821475, op.input1_shift = -2;
  op.input2_multiplier = 1073741824, op.input2_shift = 0;
  op.output_multiplier = 2142871893, op.output_shift = -18;
  const auto form = find_linear_add(op);
  ASSERT_TRUE(form.has_value());
  for (int a = -128; a <= 127; ++a)
    for (int b = -128; b <= 127; ++b) {
      const int v = (a * form->k1 + b * form->k2 + form->c) >> form->shift;
      ASSERT_EQ(std::clamp(v, -128, 127),
                add_reference(op, static_cast<int8_t>(a), static_cast<int8_t>(b)));
    }
}

}  // namespace
}  // namespace tinytune
