// Forms that only generated loops compute: the rectifiers and rearrangements of int16, QUANTIZE
// between integers, TRANSPOSE_CONV with its variants, and dense layers with computed weights. The
// printed C of each gives the reference's bytes.
#include <gtest/gtest.h>

#include "tests/codegen/graph_builder.h"
#include "tests/codegen/network_run.h"

namespace tinytune {
namespace {

using test::Bytes;
using test::expect_exact;
using test::GraphBuilder;

constexpr const char* kDevices[] = {"rv32imc", "cortex-m4"};

Bytes bytes_of(const std::vector<int64_t>& values, size_t size) {
  Bytes bytes;
  for (const int64_t value : values)
    for (size_t b = 0; b < size; ++b)
      bytes.push_back(static_cast<uint8_t>(static_cast<uint64_t>(value) >> (8 * b)));
  return bytes;
}

// Returns values all over the type, its ends and values around zero.
std::vector<int64_t> spread(int64_t low, int64_t high, size_t count) {
  std::vector<int64_t> values = {low, low + 1, -1, 0, 1, high - 1, high};
  uint32_t state = 12345;
  while (values.size() < count) {
    state = state * 1664525 + 1013904223;
    values.push_back(low +
                     static_cast<int64_t>(static_cast<uint64_t>(high - low + 1) * state >> 32));
  }
  values.resize(count);
  return values;
}

Bytes of_type(ElementType type, size_t count) {
  switch (type) {
    case ElementType::kInt8:
      return bytes_of(spread(-128, 127, count), 1);
    case ElementType::kInt16:
      return bytes_of(spread(-32768, 32767, count), 2);
    case ElementType::kInt32:
      return bytes_of(spread(INT32_MIN, INT32_MAX, count), 4);
    default:
      return bytes_of(spread(0, 1, count), 1);
  }
}

void expect_everywhere(const Graph& graph) {
  std::vector<Bytes> inputs;
  for (const int id : graph.inputs)
    inputs.push_back(of_type(graph.tensor(id).type, graph.tensor(id).elements()));
  for (const char* device : kDevices) expect_exact(graph, *load_device(device), inputs);
}

// Types and quantisation of an operator's one input and one output.
struct Map {
  ElementType from = ElementType::kInt16, to = ElementType::kInt16;
  float in_scale = 0.1F, out_scale = 0.1F;
  int in_zero = 0, out_zero = 0;
};

void expect_map_exact(OperatorKind kind, const Map& map, Attributes attributes = {}) {
  SCOPED_TRACE(std::string(name_of(kind)));
  GraphBuilder b;
  const int x = b.retype(b.input({1, 301}, map.in_scale, map.in_zero), map.from);
  const int y = b.retype(
      b.op(kind, {x}, std::move(attributes), {1, 301}, map.out_scale, map.out_zero), map.to);
  expect_everywhere(b.finish({y}));
}

constexpr ElementType k8 = ElementType::kInt8, k16 = ElementType::kInt16, k32 = ElementType::kInt32;

TEST(WideForms, QuantizeBetweenIntegers_EqualsTheReference) {
  for (const Map& map :
       {Map{k16, k8, 0.001F, 0.3F, -700, 5}, Map{k16, k16, 0.1F, 0.3F, 1000, -9},
        Map{k8, k16, 0.1F, 0.001F, 7, 300}, Map{k16, k32, 0.5F, 0.0001F, -300, 0},
        Map{k16, k32, 0.5F, 0.0001F, -300, INT32_MAX}, Map{k8, k32, 1, 1e-6F, 9, -1},
        Map{k32, k16, 1e-6F, 0.1F, 12345, 77}, Map{k32, k8, 1e-7F, 2, INT32_MIN, 3}})
    expect_map_exact(OperatorKind::kQuantize, map);
}

TEST(WideForms, Rectifiers_EqualTheReference) {
  for (const float out_scale : {0.1F, 0.03F, 0.7F}) {
    const Map map{k16, k16, 0.1F, out_scale};
    expect_map_exact(OperatorKind::kRelu, map);
    expect_map_exact(OperatorKind::kLeakyRelu, map, LeakyReluAttributes{0.3F});
    expect_map_exact(OperatorKind::kLeakyRelu, map, LeakyReluAttributes{-0.5F});
    expect_map_exact(OperatorKind::kLeakyRelu, map, LeakyReluAttributes{1e-12F});
  }
  expect_map_exact(OperatorKind::kRelu6, {k16, k16, 0.0005F, 0.0005F});
}

TEST(WideForms, MeanAndSum_EqualTheReference) {
  for (const OperatorKind kind : {OperatorKind::kMean, OperatorKind::kSum})
    for (const auto& [axes, shape] : std::vector<std::pair<std::vector<int>, std::vector<int>>>{
             {{1, 2}, {1, 3}}, {{3}, {1, 17, 9}}, {{0, 1, 2, 3}, {}}}) {
      GraphBuilder b;
      const int x = b.retype(b.input({1, 17, 9, 3}, 0.1F, 0), k16);
      const int y = b.retype(b.op(kind, {x, b.integers({axes.begin(), axes.end()})},
                                  ReducerAttributes{}, shape, 0.2F, 0),
                             k16);
      expect_everywhere(b.finish({y}));
    }
}

TEST(WideForms, SelectAndPad_EqualTheReference) {
  GraphBuilder b;
  const int condition = b.retype(b.input({1, 5, 3}, 1, 0), ElementType::kBool);
  const int x = b.retype(b.input({1, 5, 3}, 0.1F, 0), k16);
  const int y = b.retype(b.input({1, 1, 3}, 0.1F, 0), k16);
  const int chosen =
      b.retype(b.op(OperatorKind::kSelectV2, {condition, x, y}, {}, {1, 5, 3}, 0.1F, 0), k16);
  const int pads = b.integers({0, 0, 1, 2, 1, 0});
  // pads has three rows of two
  const int value = b.retype(b.constant({1}, 0.1F, 0, bytes_of({-12345}, 2)), k16);
  const int padded =
      b.retype(b.op(OperatorKind::kPadV2, {chosen, pads, value}, {}, {1, 8, 4}, 0.1F, 0), k16);
  expect_everywhere(b.finish({padded}));
}

Graph transposed(ElementType type, Activation activation, Padding padding, bool shape_is_computed) {
  const bool wide = type == k16;
  GraphBuilder b;
  const int x = b.retype(b.input({1, 3, 4, 2}, 0.1F, wide ? 0 : 7), type);
  Bytes weights;
  for (int i = 0; i < 3 * 3 * 2 * 2; ++i) weights.push_back(static_cast<uint8_t>(i * 37 - 90));
  const int w = b.constant({3, 3, 2, 2}, 0.05F, 0, weights);
  b.scales(w, {0.05F, 0.02F, 0.003F}, 0);
  const int bias =
      wide ? b.retype(b.constant({3}, 1, 0, bytes_of({100000, -7, -90000}, 8)), ElementType::kInt64)
           : b.bias({1000, -7, -900}, 0.005F);
  const int rows = padding == Padding::kSame ? 6 : 7, columns = padding == Padding::kSame ? 4 : 5;
  const int shape =
      shape_is_computed ? b.retype(b.input({4}, 1, 0), k32) : b.integers({1, rows, columns, 3});
  const int y = b.retype(b.op(OperatorKind::kTransposeConv, {shape, w, x, bias},
                              TransposeConvAttributes{padding, 2, 1, activation},
                              {1, rows, columns, 3}, 0.3F, wide ? 0 : -20),
                         type);
  return b.finish({y});
}

TEST(WideForms, TransposeConv_EqualsTheReferenceWithActivations) {
  for (const ElementType type : {k8, k16})
    for (const Activation activation :
         {Activation::kNone, Activation::kRelu, Activation::kRelu6, Activation::kReluN1To1})
      expect_everywhere(transposed(type, activation, Padding::kSame, false));
  expect_everywhere(transposed(k16, Activation::kRelu, Padding::kValid, true));
  expect_everywhere(transposed(k8, Activation::kRelu6, Padding::kValid, true));
}

// The weights and the bias come from inputs of the network.
struct Dense {
  ElementType type = k8, bias = k32;
  int weights_zero = 0;
  bool has_bias = true, constant_weights = false;
};

Graph computed_dense(const Dense& d) {
  const bool wide = d.type == k16;
  GraphBuilder b;
  const int x = b.retype(b.input({4, 9}, 0.1F, wide ? 0 : -11), d.type);
  const int w = d.constant_weights ? b.constant({5, 9}, 0.05F, d.weights_zero, of_type(k8, 45))
                                   : b.input({5, 9}, 0.05F, d.weights_zero);
  std::vector<int> inputs = {x, w};
  if (d.has_bias) inputs.push_back(b.retype(b.input({5}, 0.1F * 0.05F, 0), d.bias));
  const int y =
      b.retype(b.op(OperatorKind::kFullyConnected, inputs, ActivationAttributes{Activation::kRelu},
                    {4, 5}, wide ? 40.0F : 3.0F, wide ? 0 : -100),
               d.type);
  return b.finish({y});
}

TEST(WideForms, ComputedDense_EqualsTheReference) {
  for (const Dense& d : {Dense{}, Dense{.weights_zero = 13}, Dense{.has_bias = false},
                         Dense{.weights_zero = -5, .constant_weights = true}, Dense{.type = k16},
                         Dense{.type = k16, .has_bias = false}})
    expect_everywhere(computed_dense(d));
}

}  // namespace
}  // namespace tinytune
