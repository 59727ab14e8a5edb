// Products that are computed in blocks: BATCH_MATMUL, TRANSPOSE_CONV and layers of int16, with
// whole blocks and with remainders, word by word and element by element.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>

#include "base/toolchain.h"
#include "tests/codegen/graph_builder.h"
#include "tests/codegen/network_run.h"

namespace tinytune {
namespace {

using test::Bytes;
using test::expect_exact;
using test::GraphBuilder;

Bytes random_bytes(int64_t count, uint32_t seed) {
  std::mt19937 rng(seed);
  Bytes bytes(static_cast<size_t>(count));
  for (uint8_t& b : bytes) b = static_cast<uint8_t>(rng());
  return bytes;
}

void expect_exact_on(std::initializer_list<const char*> devices, const Graph& graph) {
  std::vector<Bytes> inputs;
  for (const int id : graph.inputs)
    inputs.push_back(random_bytes(graph.tensor(id).bytes(), 7 + static_cast<uint32_t>(id)));
  for (const char* device : devices) expect_exact(graph, *load_device(device), inputs);
}

void expect_exact_everywhere(const Graph& graph) {
  expect_exact_on({"rv32imc", "cortex-m4", "rp2040"}, graph);
}

struct Matrices {
  std::vector<int> left, right, result;
  BatchMatMulAttributes attributes = {};
};

TEST(DotProducts, BatchMatMul_EqualsTheReference) {
  const Matrices all[] = {
      {{4, 8}, {8, 4}, {4, 4}, {.adj_y = false}},      // right side by columns
      {{6, 16}, {10, 16}, {6, 10}, {.adj_y = true}},   // words of both
      {{5, 16}, {3, 16}, {5, 3}, {.adj_y = true}},     // blocks and rests
      {{4, 8}, {1, 8}, {4, 1}, {.adj_y = true}},       // a block of four by one
      {{19, 12}, {7, 12}, {19, 7}, {.adj_y = true}},   // many, rests, an odd step
      {{3, 24}, {24, 21}, {3, 21}, {.adj_y = false}},  // the right side's columns staged
      {{5, 7}, {9, 7}, {5, 9}, {.adj_y = true}},       // no words
      {{12, 5}, {12, 3}, {5, 3}, {.adj_x = true}},     // left side by columns
      {{12, 5}, {3, 12}, {5, 3}, {.adj_x = true, .adj_y = true}},  // and words of the right one
      {{3, 260}, {2, 260}, {3, 2}, {.adj_y = true}},               // too long for the stack
      {{1, 4}, {17, 4}, {1, 17}, {.adj_y = true}},                 // the left side held
      {{2, 7}, {7, 9}, {2, 9}, {.adj_y = false}},
      {{19, 4}, {4, 4}, {19, 4}, {.adj_y = false}},  // the right one, in rests of rows too
      {{3, 8, 2}, {3, 2, 5}, {3, 8, 5}, {.adj_y = false}},
      {{2, 4, 6}, {2, 4, 2}, {2, 6, 2}, {.adj_x = true}},
      {{2, 3, 4, 8}, {2, 3, 8, 6}, {2, 3, 4, 6}, {.adj_y = false}},
      {{2, 3, 3, 8}, {2, 3, 5, 8}, {2, 3, 3, 5}, {.adj_y = true}},
      {{1, 3, 8}, {4, 5, 8}, {4, 3, 5}, {.adj_y = true}},
  };
  for (const Matrices& m : all)
    for (const int zero : {-128, 9}) {
      GraphBuilder b;
      const int x = b.input(m.left, 0.1F, zero), y = b.input(m.right, 0.2F, -zero - 1);
      const Graph graph =
          b.finish({b.op(OperatorKind::kBatchMatMul, {x, y}, m.attributes, m.result, 3.0F, 5)});
      expect_exact_everywhere(graph);
      expect_exact_on({"stm32f4"}, graph);  // of which loads decide
    }
}

// Sixteen heads of four: scores of one row by N cached ones, and N shares by cached rows.
TEST(DotProducts, AttentionOfShortHeads_EqualsTheReference) {
  for (const int n : {1, 2, 3, 4, 5, 8, 16, 17, 63, 64, 129, 256}) {
    SCOPED_TRACE(n);
    GraphBuilder b;
    const int query = b.input({16, 1, 4}, 0.1F, 0), keys = b.input({16, n, 4}, 0.1F, 0);
    const int shares = b.input({16, 1, n}, 1.0F / 256, -128), values = b.input({16, n, 4}, 0.1F, 0);
    const int scores = b.op(OperatorKind::kBatchMatMul, {query, keys},
                            BatchMatMulAttributes{.adj_y = true}, {16, 1, n}, 0.05F, 0);
    const int mean = b.op(OperatorKind::kBatchMatMul, {shares, values}, BatchMatMulAttributes{},
                          {16, 1, 4}, 0.02F * static_cast<float>(n), 3);
    expect_exact_on({"rv32imc", "cortex-m4"}, b.finish({scores, mean}));
  }
}

// The right side by rows and by columns: one side is widened once and serves all of the other side.
// The code is C: clang 19 spends 1.262 instructions a product.
TEST(DotProducts, BatchMatMul_StagesOneSideOnCoresWithPairs) {
  for (const bool rows : {true, false}) {
    GraphBuilder b;
    const std::vector<int> shape = rows ? std::vector{32, 64} : std::vector{64, 32};
    const int x = b.input({32, 64}, 0.1F, 3), y = b.input(shape, 0.2F, -7);
    const Graph graph = b.finish({b.op(OperatorKind::kBatchMatMul, {x, y},
                                       BatchMatMulAttributes{.adj_y = rows}, {32, 32}, 3.0F, 5)});
    const auto run = expect_exact(graph, *load_device("cortex-m4"),
                                  {random_bytes(32 * 64, 1), random_bytes(32 * 64, 2)});
    EXPECT_LT(run.instructions, 32u * 32 * 64 * (llvm_version() == 14 ? 125 : 130) / 100);
  }
}

// Transposed convolutions with incomplete phases, which generated loops compute.
TEST(DotProducts, TransposeConv_EqualsTheReference) {
  for (const int in_c : {4, 3})
    for (const int out_c : {4, 6})
      for (const int kernel : {2, 3}) {
        GraphBuilder b;
        const int x = b.input({2, 3, 4, in_c}, 0.1F, -128);
        const int w = b.constant({out_c, kernel, kernel, in_c}, 0.05F, 0,
                                 random_bytes(out_c * kernel * kernel * in_c, 3));
        const int y =
            b.op(OperatorKind::kTransposeConv, {b.integers({2, 5, 7, out_c}), w, x},
                 TransposeConvAttributes{Padding::kSame, 2, 2}, {2, 5, 7, out_c}, 0.7F, 9);
        expect_exact_everywhere(b.finish({y}));
      }
}

// Every pair of bytes, in whole words and in the remainder.
TEST(DotProducts, Extremes_EqualTheReferenceForEveryPair) {
  std::vector<Bytes> inputs(2);
  for (int i = 0; i < 65539; ++i) {
    inputs[0].push_back(static_cast<uint8_t>(i & 255));
    inputs[1].push_back(static_cast<uint8_t>(i >> 8));
  }
  for (const auto kind : {OperatorKind::kMaximum, OperatorKind::kMinimum}) {
    GraphBuilder b;
    const int x = b.input({65539}, 0.1F, 3), y = b.input({65539}, 0.1F, 3);
    const Graph graph = b.finish({b.op(kind, {x, y}, {}, {65539}, 0.1F, 3)});
    const auto run = expect_exact(graph, *load_device("cortex-m4"), inputs);
    EXPECT_LT(run.instructions, 65539u * 3);
    expect_exact(graph, *load_device("rv32imc"), inputs);
  }
}

Bytes small_longs(int count) {
  Bytes bytes;
  for (int i = 0; i < count; ++i) {
    bytes.insert(bytes.end(), {0x31, static_cast<uint8_t>(i)});
    bytes.resize(bytes.size() + 6);
  }
  return bytes;
}

struct WideLayer {
  OperatorKind kind = OperatorKind::kConv2d;
  std::vector<int> input, weights, output;
  ConvAttributes attributes = {};
};

TEST(DotProducts, LayersOfInt16_EqualTheReference) {
  const auto conv = OperatorKind::kConv2d;
  const WideLayer all[] = {
      {conv, {1, 5, 6, 8}, {8, 3, 3, 8}, {1, 5, 6, 8}},
      {conv, {1, 5, 6, 8}, {6, 3, 5, 8}, {1, 3, 3, 6}, {.stride_h = 2, .stride_w = 2}},
      {conv, {1, 7, 7, 8}, {3, 3, 3, 8}, {1, 7, 7, 3}, {.dilation_h = 2, .dilation_w = 2}},
      {conv, {1, 7, 7, 8}, {4, 3, 3, 8}, {1, 7, 7, 4}, {.dilation_h = 2, .dilation_w = 3}},
      {conv, {1, 5, 6, 8}, {8, 3, 3, 4}, {1, 5, 6, 8}},
      {conv, {1, 5, 6, 3}, {4, 3, 3, 3}, {1, 5, 6, 4}},
      {conv, {2, 5, 6, 4}, {4, 3, 3, 4}, {2, 3, 4, 4}, {.padding = Padding::kValid}},
      {OperatorKind::kFullyConnected, {3, 16}, {8, 16}, {3, 8}},
  };
  for (const WideLayer& layer : all)
    for (const bool long_bias : {true, false}) {
      GraphBuilder b;
      const int x = b.retype(b.input(layer.input, 0.001F, 0), ElementType::kInt16);
      int64_t weights = 1;
      for (const int extent : layer.weights) weights *= extent;
      std::vector<int> inputs = {x, b.constant(layer.weights, 0.01F, 0, random_bytes(weights, 3))};
      const int channels = layer.weights[0];
      if (long_bias)
        inputs.push_back(
            b.retype(b.constant({channels}, 1e-5F, 0, small_longs(channels)), ElementType::kInt64));
      else
        inputs.push_back(b.bias(std::vector<int32_t>(channels, -12345), 1e-5F));
      const Attributes attributes =
          layer.kind == conv ? Attributes(layer.attributes) : Attributes(ActivationAttributes{});
      const int y = b.retype(b.op(layer.kind, inputs, attributes, layer.output, 0.02F, 0),
                             ElementType::kInt16);
      expect_exact_everywhere(b.finish({y}));
    }
}

struct WideDense {
  int in_c = 8, out_c = 4;
  float out_scale = 0.02F;
  int64_t bias = 0;
};

Graph graph_of(const WideDense& layer) {
  GraphBuilder b;
  const int x = b.retype(b.input({1, layer.in_c}, 0.001F, 0), ElementType::kInt16);
  const int weights = b.constant({layer.out_c, layer.in_c}, 0.01F, 0,
                                 random_bytes(int64_t{layer.in_c} * layer.out_c, 3));
  Bytes bias;
  for (int c = 0; c < layer.out_c; ++c)
    for (int i = 0; i < 8; ++i) bias.push_back(static_cast<uint8_t>(layer.bias >> (8 * i)));
  const int of_channels = b.retype(b.constant({layer.out_c}, 1e-5F, 0, bias), ElementType::kInt64);
  return b.finish({b.retype(b.op(OperatorKind::kFullyConnected, {x, weights, of_channels},
                                 ActivationAttributes{}, {1, layer.out_c}, layer.out_scale, 0),
                            ElementType::kInt16)});
}

// Scales from 2^-2 to 2^-20, some with multipliers that exceed a word; sums that, with their bias,
// fit 32 bits or just exceed them.
TEST(DotProducts, ScalesAndSumsOfInt16_EqualTheReferenceAtTheirLimits) {
  for (int power = 2; power <= 20; ++power) {
    SCOPED_TRACE(power);
    expect_exact_on({"rv32imc", "cortex-m4"}, graph_of({.out_scale = std::ldexp(1e-5F, power)}));
  }
  int64_t largest = 0;
  const Bytes weights = random_bytes(8 * 4, 3);
  for (size_t c = 0; c < 4; ++c) {
    int64_t sum = 0;
    for (size_t i = 0; i < 8; ++i) sum += std::abs(static_cast<int8_t>(weights[c * 8 + i]));
    largest = std::max(largest, sum * 32768);
  }
  for (const int64_t more : {0, 1})
    for (const int sign : {1, -1})
      expect_exact_on({"rv32imc", "cortex-m4"},
                      graph_of({.out_scale = 1, .bias = sign * (INT32_MAX - largest + more)}));
}

// Where a byte from flash takes more than a cycle, flash holds weights as bytes, not as pairs.
TEST(DotProducts, DenseLayerOfInt16InSlowFlash_EqualsTheReference) {
  expect_exact_on({"rp2350"}, graph_of({.in_c = 64, .out_c = 12}));
}

TEST(DotProducts, ConvolutionOfInt16_MultipliesPairs) {
  GraphBuilder b;
  const int x = b.retype(b.input({1, 12, 12, 16}, 0.001F, 0), ElementType::kInt16);
  const int weights = b.constant({16, 3, 3, 16}, 0.01F, 0, random_bytes(16 * 9 * 16, 3));
  const int bias = b.retype(b.constant({16}, 1e-5F, 0, small_longs(16)), ElementType::kInt64);
  const Graph graph = b.finish({b.retype(
      b.op(OperatorKind::kConv2d, {x, weights, bias}, ConvAttributes{}, {1, 12, 12, 16}, 0.02F, 0),
      ElementType::kInt16)});
  const auto run = expect_exact(graph, *load_device("cortex-m4"), {random_bytes(12 * 12 * 32, 1)});
  EXPECT_LT(run.instructions, 12u * 12 * 16 * 9 * 16 * 13 / 10);
}

}  // namespace
}  // namespace tinytune
