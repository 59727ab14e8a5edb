// QUANTIZE of float32 and DEQUANTIZE to it by a core's floating-point unit: the reference's bytes,
// in fewer instructions than without.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

#include "base/rng.h"
#include "codegen/networks/network.h"
#include "tests/codegen/graph_builder.h"
#include "tests/codegen/network_run.h"
#include "tests/codegen/operators/one_operator.h"

namespace tinytune {
namespace {

using test::Bytes;
using test::bytes_of;
using test::expect_exact;
using test::GraphBuilder;

// Returns NaNs, infinities, both ends, ties with the floats beside them, and floats of any bits.
std::vector<float> edges(float scale, int reach) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::vector<float> values = {0.0F,      -0.0F,           1e30F,         -1e30F,         1e-42F,
                               kInfinity, -kInfinity,      std::nanf(""), -std::nanf(""), 3.4e38F,
                               -3.4e38F,  std::nanf("77"), 1e-20F};
  for (int i = -260; i <= 260; ++i) {
    const float half = (static_cast<float>(i * reach) + 0.5F) * scale;
    for (const float value :
         {half, std::nextafterf(half, kInfinity), std::nextafterf(half, -kInfinity)})
      values.push_back(value);
  }
  Rng rng(17);
  for (int i = 0; i < 400; ++i) {
    const auto bits = static_cast<uint32_t>(rng.next());
    float value = 0;
    std::memcpy(&value, &bits, sizeof value);
    values.push_back(value);
  }
  return values;
}

Graph quantised(ElementType type, float scale, int zero, int elements) {
  GraphBuilder b;
  const int x = b.retype(b.input({elements}, 1, 0), ElementType::kFloat32);
  const int q = b.retype(b.op(OperatorKind::kQuantize, {x}, {}, {elements}, scale, zero), type);
  const int y =
      b.retype(b.op(OperatorKind::kDequantize, {q}, {}, {elements}, 1, 0), ElementType::kFloat32);
  return b.finish({y, q});
}

constexpr const char* kUnits[] = {"cortex-m4f", "stm32f7", "rp2350"};

TEST(FloatUnit, QuantisingToBytes_GivesTheReferencesBytes) {
  for (const Arithmetic arithmetic : {Arithmetic::kTfliteMicro, Arithmetic::kOnnx})
    for (const float scale : {0.0314F, 2e35F})
      for (const ElementType type : {ElementType::kInt8, ElementType::kUint8}) {
        const bool even = arithmetic == Arithmetic::kOnnx;
        SCOPED_TRACE(std::string(even ? "halves to even, " : "") + std::string(name_of(type)));
        const std::vector<float> values = edges(scale, 1);
        Graph graph = quantised(type, scale, type == ElementType::kInt8 ? -9 : 119,
                                static_cast<int>(values.size()));
        graph.arithmetic = arithmetic;
        expect_exact(graph, *load_device("cortex-m4f"), {bytes_of(values)});
      }
}

TEST(FloatUnit, QuantisingToInt16AndBack_GivesTheReferencesBytes) {
  for (const float scale : {0.0314F, 1.0F / 32768, 3e33F}) {
    const std::vector<float> values = edges(scale, 127);
    expect_exact(quantised(ElementType::kInt16, scale, 0, static_cast<int>(values.size())),
                 *load_device("cortex-m4f"), {bytes_of(values)});
  }
}

TEST(FloatUnit, DequantisingInt32_GivesTheReferencesBytes) {
  Rng rng(28);
  Bytes bytes;
  for (const uint32_t edge : {0U, 1U, 0xFFFFFFFFU, 0x7FFFFFFFU, 0x80000000U, 0x01000001U})
    for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<uint8_t>(edge >> (8 * i)));
  while (bytes.size() < 4 * 200) bytes.push_back(static_cast<uint8_t>(rng.next()));
  GraphBuilder b;
  const int x = b.retype(b.input({200}, 0.0123F, 0), ElementType::kInt32);
  const int y =
      b.retype(b.op(OperatorKind::kDequantize, {x}, {}, {200}, 1, 0), ElementType::kFloat32);
  Graph graph = b.finish({y});
  graph.arithmetic = Arithmetic::kOnnx;
  expect_exact(graph, *load_device("cortex-m4f"), {bytes});
}

TEST(FloatUnit, EveryCoreThatHasOne_GivesTheReferencesBytes) {
  const std::vector<float> values = edges(0.0314F, 1);
  const Graph graph = quantised(ElementType::kInt8, 0.0314F, -9, static_cast<int>(values.size()));
  for (const char* device : kUnits) {
    SCOPED_TRACE(device);
    expect_exact(graph, *load_device(device), {bytes_of(values)});
  }
}

// Text printed for a core with the unit, but built for one without it.
TEST(FloatUnit, TextBuiltWithoutTheUnit_ConvertsAlike) {
  const std::vector<float> values = edges(0.0314F, 1);
  const Graph graph = quantised(ElementType::kInt8, 0.0314F, -9, static_cast<int>(values.size()));
  const auto made =
      generate_network(test::executed(graph), *load_device("cortex-m4f"), {}, {"net"});
  ASSERT_TRUE(made) << made.error().message();
  const Device without = *load_device("cortex-m4");
  const test::NetworkRun with_unit =
      test::run_network(*made, graph, *load_device("cortex-m4f"), {bytes_of(values)});
  const test::NetworkRun run = test::run_network(*made, graph, without, {bytes_of(values)});
  EXPECT_FALSE(run.outputs.empty());
  EXPECT_EQ(run.outputs, with_unit.outputs);
}

TEST(FloatUnit, Quantising_TakesFewerInstructionsThanIntegers) {
  constexpr int kElements = 1000;
  std::vector<float> values;
  for (int i = 0; i < kElements; ++i) values.push_back(static_cast<float>(i - 500) * 0.0123F);
  const Graph graph = quantised(ElementType::kInt8, 0.0314F, -5, kElements);
  const auto instructions = [&](const char* device) {
    const auto run = expect_exact(graph, *load_device(device), {bytes_of(values)});
    std::printf("%s: %.2f instructions to quantise an element\n", device,
                static_cast<double>(run.layer_instructions.at(0)) / kElements);
    return run.layer_instructions.at(0);
  };
  EXPECT_LE(instructions("cortex-m4f"), 14U * kElements);
  EXPECT_GT(instructions("cortex-m4"), 20U * kElements);
}

}  // namespace
}  // namespace tinytune
