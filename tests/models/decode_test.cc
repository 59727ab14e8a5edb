// TFLM_DECODE: import must restore the plain tensor from a compressed one. Compressed tensors come
// from our own writer, or are written by hand after TFLite Micro's description of the format.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/rng.h"
#include "examples/compressed_weights.h"
#include "examples/tflite_writer.h"
#include "models/tflite/tflite.h"
#include "tests/models/test_models.h"

namespace tinytune {
namespace {

using Bytes = std::vector<uint8_t>;
using testing::HasSubstr;

// y = RELU(x), beside a tensor that is decoded.
Graph graph_of(const Tensor& decoded, const CompressedTensor& small) {
  GraphBuilder b;
  const int x = b.input({4}), y = b.activation({4});
  const auto bytes = [&](const Bytes& data) {
    const int id = b.int8_constant({static_cast<int>(data.size())},
                                   std::vector<int8_t>(data.begin(), data.end()), 1, 0);
    Tensor& t = b.graph.tensors[static_cast<size_t>(id)];
    t.type = ElementType::kUint8;
    t.quantization = {};
    return id;
  };
  const int codes = bytes(small.codes), description = bytes(small.description);
  const int out = b.activation({1});
  Tensor& t = b.graph.tensors[static_cast<size_t>(out)];
  const int id = t.id;
  t = decoded;
  t.id = id;
  t.is_constant = false;
  t.data.clear();
  b.op(OperatorKind::kDecode, {codes, description}, {out});
  b.op(OperatorKind::kRelu, {x}, {y});
  b.graph.outputs = {y};
  return b.graph;
}

Tensor tensor_of(ElementType type, std::vector<int> shape, Quantization q = {}) {
  Tensor t;
  t.type = type;
  t.shape = std::move(shape);
  t.quantization = std::move(q);
  t.is_constant = true;
  t.data.resize(static_cast<size_t>(t.bytes()));
  return t;
}

Result<Graph> imported(const Tensor& t, const CompressedTensor& small) {
  return import_tflite(write_tflite(graph_of(t, small)), "m");
}

void expect_decoded(const Tensor& t, const CompressedTensor& small) {
  const auto graph = imported(t, small);
  ASSERT_TRUE(graph.has_value()) << graph.error().message();
  const Tensor& read = graph->tensor(graph->operators[0].outputs[0]);
  EXPECT_TRUE(read.is_constant);
  EXPECT_EQ(read.data, t.data);
}

std::string refusal(const Tensor& t, const CompressedTensor& small) {
  const auto graph = imported(t, small);
  return graph ? "" : graph.error().message();
}

Quantization channels(int count, int axis, int zero = 0) {
  Quantization q{{}, {}, axis};
  for (int i = 0; i < count; ++i) {
    q.scales.push_back(0.1F);
    q.zero_points.push_back(zero + i);
  }
  return q;
}

TEST(Decode, LookupByHand_TakesBitsFromTheTop) {
  Tensor t = tensor_of(ElementType::kInt8, {2, 3}, channels(2, 0));
  t.data = {10, 12, 11, 21, 20, 22};
  // Two-bit indices into a table of three values per channel: 00 10 01 | 01 00 10, and padding.
  CompressedTensor small{{0b00100101, 0b00100000}, Bytes(16)};
  small.description[1] = small.description[4] = 1;
  small.description[5] = 2;
  small.description[6] = 3;
  for (uint8_t value : {10, 11, 12, 20, 21, 22}) small.description.push_back(value);
  expect_decoded(t, small);
}

// Sixteen letters, the table of eight entries and behind it six more: figures of TFLite Micro's
// decode_state_huffman_test.cc at 90b983c2.
TEST(Decode, HuffmanOfTfliteMicrosOwnExample_SpellsItsLetters) {
  const std::string letters = "nmmacnanefdacopjomeckifookhbdbdmjjdmjgojfecpbiibmanbbjbnlgjafejp";
  Tensor t = tensor_of(ElementType::kInt8, {64}, {{1}, {0}, 0});
  t.data.assign(letters.begin(), letters.end());
  CompressedTensor small;
  small.codes = {0xF0, 0x0D, 0x79, 0xFC, 0x9C, 0x1A, 0x6E, 0x4C, 0x32, 0xAF, 0x29,
                 0xB3, 0x5D, 0xF6, 0x36, 0x02, 0x50, 0x15, 0x8C, 0xA7, 0x95, 0xDB,
                 0x29, 0x68, 0x3F, 0xBA, 0xB7, 0xED, 0xB1, 0x19, 0xE2, 0xE0};
  small.description = Bytes(16);
  small.description[0] = small.description[1] = small.description[4] = 1;
  small.description[5] = 2 << 4;
  for (int entry : {0x986D, 0x9861, 0x986A, 0x0005, 0x0806, 0x0809, 0x000E, 0x000F,
                    0x886F, 0x8868, 0x8864, 0x8864, 0x9069, 0x9066, 0x8863, 0x8863,
                    0x0002, 0x906B, 0x8867, 0x886C, 0x8865, 0x8862, 0x8870, 0x886E}) {
    small.description.push_back(static_cast<uint8_t>(entry));
    small.description.push_back(static_cast<uint8_t>(entry >> 8));
  }
  expect_decoded(t, small);
}

TEST(Decode, PrunedByHand_FillsWithEachChannelsZero) {
  Tensor t = tensor_of(ElementType::kInt8, {2, 2}, channels(2, 1, -5));
  t.data = {0xfb, 7, 9, 0xfc};  // zeros -5 and -4
  CompressedTensor small{{0b01100000}, Bytes(16)};
  small.description[0] = 2;
  small.description[1] = small.description[4] = 1;
  small.description.insert(small.description.end(), {7, 9});
  expect_decoded(t, small);
}

class DecodeTypes : public testing::TestWithParam<ElementType> {};

TEST_P(DecodeTypes, EveryCode_GivesThePlainTensor) {
  Rng rng(7);
  for (const WeightCode code : {WeightCode::kLookup, WeightCode::kHuffman, WeightCode::kPruned})
    for (const int values : {1, 2, 3, 7, 16, 40, 128})
      for (const int axis : {-1, 0, 2}) {
        Tensor t = tensor_of(GetParam(), {3, 5, 19});
        const bool is_narrow = GetParam() == ElementType::kInt8;
        if (is_narrow && axis < 0) t.quantization = {{0.5F}, {3}, 0};
        if (is_narrow && axis >= 0)
          t.quantization = channels(t.shape[static_cast<size_t>(axis)], axis);
        const auto width = size_of(t.type);
        for (size_t i = 0; i < t.data.size(); i += width)
          t.data[i] = static_cast<uint8_t>(rng.below(4) == 0 ? rng.below(values) : 0);
        const auto small = compressed(t, code);
        const bool has_code = width <= 2 && t.type != ElementType::kBool;
        EXPECT_EQ(small.has_value(), code != WeightCode::kHuffman || has_code);
        if (small) expect_decoded(t, *small);
      }
}

INSTANTIATE_TEST_SUITE_P(Types, DecodeTypes,
                         testing::Values(ElementType::kInt8, ElementType::kInt16,
                                         ElementType::kInt32, ElementType::kInt64,
                                         ElementType::kFloat32, ElementType::kBool),
                         [](const auto& info) { return std::string(name_of(info.param)); });

TEST(Decode, DamagedCodes_AreRefusedNotRead) {
  Tensor t = tensor_of(ElementType::kInt8, {40}, {{1}, {0}, 0});
  for (size_t i = 0; i < t.data.size(); ++i) t.data[i] = static_cast<uint8_t>(i % 9);
  for (const WeightCode code : {WeightCode::kLookup, WeightCode::kHuffman, WeightCode::kPruned}) {
    const CompressedTensor whole = *compressed(t, code);
    CompressedTensor shorter = whole;
    shorter.codes.resize(code == WeightCode::kPruned ? 4 : 8);
    EXPECT_THAT(refusal(t, shorter), HasSubstr("fewer"));
    CompressedTensor bare = whole;
    bare.description.resize(18);
    EXPECT_FALSE(refusal(t, bare).empty());
    CompressedTensor none = whole;
    none.description.resize(15);
    EXPECT_THAT(refusal(t, none), HasSubstr("a description of 15 bytes"));
    for (const size_t version : {1, 4}) {
      CompressedTensor later = whole;
      later.description[version] = 2;
      EXPECT_THAT(refusal(t, later), HasSubstr("is compressed by version 2"));
    }
  }
  CompressedTensor endless = *compressed(t, WeightCode::kHuffman);
  std::fill(endless.description.begin() + 16, endless.description.end(), uint8_t{0});
  std::fill(endless.codes.begin(), endless.codes.end(), uint8_t{0});
  EXPECT_THAT(refusal(t, endless), HasSubstr("fewer codes than values"));
  CompressedTensor custom = *compressed(t, WeightCode::kLookup);
  custom.description[0] = 200;
  EXPECT_THAT(refusal(t, custom), HasSubstr("compressed as type 200"));
}

TEST(Decode, RandomDescriptions_NeverReadOutside) {
  Rng rng(11);
  int decoded = 0;
  Tensor t = tensor_of(ElementType::kInt8, {3, 16}, channels(3, 0));
  for (int round = 0; round < 2000; ++round) {
    CompressedTensor noise{Bytes(1 + rng.below(40)), Bytes(16 + rng.below(80))};
    for (Bytes* bytes : {&noise.codes, &noise.description})
      for (uint8_t& byte : *bytes) byte = static_cast<uint8_t>(rng.below(256));
    noise.description[0] = static_cast<uint8_t>(rng.below(3));
    noise.description[1] = noise.description[4] = 1;
    decoded += imported(t, noise) ? 1 : 0;
  }
  EXPECT_GT(decoded, 0);
  EXPECT_LT(decoded, 1000);
}

TEST(Decode, AnotherCustomOperator_IsStillRefusedByItsName) {
  Tensor t = tensor_of(ElementType::kInt8, {8}, {{1}, {0}, 0});
  Graph graph = graph_of(t, *compressed(t, WeightCode::kLookup));
  graph.operators[0].kind = OperatorKind::kExternal;
  graph.operators[0].attributes = ExternalAttributes{"CUSTOM OTHER", "", {}};
  const auto read = import_tflite(write_tflite(graph), "m");
  ASSERT_FALSE(read.has_value());
  EXPECT_THAT(read.error().message(), HasSubstr("CUSTOM OTHER"));
}

}  // namespace
}  // namespace tinytune
