#include "codegen/networks/indexed_weights.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/rng.h"
#include "codegen/kernels/build_cache.h"
#include "examples/compressed_weights.h"
#include "examples/tflite_writer.h"
#include "models/tflite/tflite.h"
#include "tests/codegen/graph_builder.h"
#include "tests/codegen/network_run.h"

namespace tinytune {
namespace {

using test::Bytes;
using test::executed;
using test::expect_exact;
using test::GraphBuilder;

Bytes of_values(int values, size_t count, uint64_t seed) {
  Rng rng(seed);
  Bytes bytes(count);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(7 * rng.below(values) - 50);
  return bytes;
}

TEST(IndexedValues, Codes_AreAsShortAsTheValuesPermit) {
  const auto sixteen = indexed(of_values(16, 1000, 1), 1);
  ASSERT_TRUE(sixteen);
  EXPECT_EQ(sixteen->bits, 4);
  EXPECT_EQ(sixteen->codes.size(), 500u);
  EXPECT_EQ(sixteen->table.size(), 16u);
  EXPECT_EQ(indexed(of_values(1, 90, 1), 1)->codes.size(), 12u);
  EXPECT_EQ(indexed(of_values(128, 4000, 1), 1)->bits, 7);
  const Bytes halves = {0x34, 0x12, 0x34, 0x12, 0xff, 0xff, 0x34, 0x12};
  Bytes many;
  for (int i = 0; i < 20; ++i) many.insert(many.end(), halves.begin(), halves.end());
  EXPECT_EQ(indexed(many, 2)->codes, Bytes(10, 0b00100010));
  EXPECT_EQ(indexed(many, 2)->table, (Bytes{0x34, 0x12, 0xff, 0xff}));
}

TEST(IndexedValues, WhatWouldNotBeSmaller_StaysPlain) {
  EXPECT_FALSE(indexed(of_values(16, 20, 1), 1));
  EXPECT_FALSE(indexed(of_values(200, 4000, 1), 1));
  EXPECT_FALSE(indexed(Bytes{}, 1));
}

// A convolution, a depthwise one and a dense layer, with this number of different weights.
Graph network_of(int values) {
  GraphBuilder b;
  const int x = b.input({1, 6, 6, 4}, 0.5f, 3);
  const int conv = b.op(OperatorKind::kConv2d,
                        {x, b.constant({9, 3, 3, 4}, 0.02f, 0, of_values(values, 324, 2)), -1},
                        ConvAttributes{}, {1, 6, 6, 9}, 0.9f, -4);
  const int depthwise =
      b.op(OperatorKind::kDepthwiseConv2d,
           {conv, b.constant({1, 3, 3, 9}, 0.02f, 0, of_values(values, 81, 3)), -1},
           ConvAttributes{}, {1, 6, 6, 9}, 0.9f, -4);
  const int flat = b.op(OperatorKind::kReshape, {depthwise}, {}, {1, 324}, 0.9f, -4);
  const int y = b.op(OperatorKind::kFullyConnected,
                     {flat, b.constant({5, 324}, 0.02f, 0, of_values(values, 1620, 4)), -1},
                     ActivationAttributes{}, {1, 5}, 2.0f, 0);
  return b.finish({y});
}

// Bytes on one, 16-bit values on the other.
class CompressedWeights : public testing::TestWithParam<const char*> {};

TEST_P(CompressedWeights, LayersThatDecode_ComputeTheSameBytes) {
  NetworkOptions options{"net"};
  options.compress_weights = true;
  const Graph graph = network_of(30);
  const auto run =
      expect_exact(graph, *load_device(GetParam()), test::seeded_inputs(graph, 1), options);
  EXPECT_FALSE(run.outputs.empty());
}

INSTANTIATE_TEST_SUITE_P(Devices, CompressedWeights, testing::Values("rv32imc", "cortex-m4"),
                         [](const auto& info) {
                           return std::string(info.param == std::string("rv32imc") ? "Bytes"
                                                                                   : "Halves");
                         });

class CompressedNetwork : public testing::Test {
 protected:
  void SetUp() override {
    options_.builds = std::make_shared<BuildCache>();
    plain_ = generate();
    options_.compress_weights = true;
    compressed_ = generate();
    ASSERT_TRUE(plain_ && compressed_);
  }
  Result<GeneratedNetwork> generate() const {
    return generate_network(executed(graph_), *load_device("rv32imc"), {}, options_);
  }

  const Graph graph_ = network_of(16);
  NetworkOptions options_{"net"};
  Result<GeneratedNetwork> plain_ = GeneratedNetwork{}, compressed_ = GeneratedNetwork{};
};

TEST_F(CompressedNetwork, FlashIsSaved_AndTheArenaHoldsTheLargestLayer) {
  EXPECT_LT(compressed_->constant_bytes, plain_->constant_bytes - 700);
  EXPECT_GT(compressed_->arena_bytes, plain_->arena_bytes);
  EXPECT_LT(compressed_->arena_bytes, plain_->arena_bytes + 2100);  // the dense layer's, padded
}

TEST_F(CompressedNetwork, LayersDecodeWhatTheArenaHasRoomFor) {
  const uint32_t enough = compressed_->arena_bytes;
  EXPECT_TRUE(compressed_->warnings.empty());
  uint64_t constant_bytes = plain_->constant_bytes;
  for (const uint32_t limit : {plain_->arena_bytes, enough - 16, enough}) {
    options_.decoding_arena_bytes = limit;
    const auto limited = generate();
    ASSERT_TRUE(limited);
    EXPECT_LE(limited->arena_bytes, limit);
    EXPECT_LE(limited->constant_bytes, constant_bytes);
    EXPECT_EQ(limited->warnings.empty(), limit == enough) << limit;
    constant_bytes = limited->constant_bytes;
  }
  EXPECT_EQ(constant_bytes, compressed_->constant_bytes);
}

TEST(CompressedModel, ModelThatDecodes_HasThePlainModelsWeights) {
  const Graph plain = network_of(16);
  for (const WeightCode code : {WeightCode::kLookup, WeightCode::kHuffman, WeightCode::kPruned}) {
    const auto read = import_tflite(write_tflite(with_compressed_weights(plain, code)), "net");
    ASSERT_TRUE(read) << read.error().message();
    ASSERT_EQ(read->operators.size(), plain.operators.size() + 3);
    std::vector<Bytes> decoded, weights;
    for (const Operator& op : read->operators)
      if (op.kind == OperatorKind::kDecode) decoded.push_back(read->tensor(op.outputs[0]).data);
    for (const Operator& op : plain.operators)
      if (op.kind != OperatorKind::kReshape) weights.push_back(plain.tensor(op.inputs[1]).data);
    EXPECT_EQ(decoded, weights);
  }
}

}  // namespace
}  // namespace tinytune
