// Operators that only move bytes, or look at shapes alone, each written to a file, imported and
// run; expected bytes are moved by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "examples/tflite_writer.h"
#include "models/constant_operator.h"
#include "models/tflite/tflite.h"
#include "tests/models/operator_run.h"

namespace tinytune {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;

// Runs an operator on an int8 input that counts from 0, followed by constant int32 operands.
std::vector<int> moved(OperatorKind kind, std::vector<int> shape, std::vector<int> out_shape,
                       const std::vector<std::vector<int32_t>>& numbers,
                       Attributes attributes = {}) {
  GraphBuilder b;
  const int in = b.input(shape);
  std::vector<int> inputs = {in};
  for (const auto& n : numbers) inputs.push_back(b.int32_constant({static_cast<int>(n.size())}, n));
  const int out = b.activation(std::move(out_shape));
  b.op(kind, inputs, {out}, std::move(attributes));
  b.graph.outputs = {out};
  int count = 1;
  for (const int extent : shape) count *= extent;
  return values_of(run_imported(b.graph, {bytes_of(counting(count))})[static_cast<size_t>(out)]);
}

TEST(Rearrangements, Slice_TakesTheBox) {
  EXPECT_THAT(moved(OperatorKind::kSlice, {2, 3, 2}, {1, 2, 2}, {{1, 1, 0}, {1, -1, 2}}),
              ElementsAre(8, 9, 10, 11));
}

TEST(Rearrangements, Reverse_TurnsNeighbouringAxesAround) {
  EXPECT_THAT(moved(OperatorKind::kReverseV2, {2, 3}, {2, 3}, {{-1}}),
              ElementsAre(2, 1, 0, 5, 4, 3));
  EXPECT_THAT(moved(OperatorKind::kReverseV2, {2, 3}, {2, 3}, {{1, 0}}),
              ElementsAre(5, 4, 3, 2, 1, 0));
}

TEST(Rearrangements, MirrorPad_RepeatsTheBorderOrNot) {
  EXPECT_THAT(moved(OperatorKind::kMirrorPad, {4}, {9}, {{2, 3}}, MirrorPadAttributes{true}),
              ElementsAre(2, 1, 0, 1, 2, 3, 2, 1, 0));
  EXPECT_THAT(moved(OperatorKind::kMirrorPad, {4}, {9}, {{2, 3}}, MirrorPadAttributes{false}),
              ElementsAre(1, 0, 0, 1, 2, 3, 3, 2, 1));
  EXPECT_THAT(
      moved(OperatorKind::kMirrorPad, {2, 2}, {3, 4}, {{1, 0, 1, 1}}, MirrorPadAttributes{true}),
      ElementsAre(3, 2, 3, 2, 1, 0, 1, 0, 3, 2, 3, 2));
}

TEST(Rearrangements, BroadcastTo_RepeatsAxesOfOne) {
  EXPECT_THAT(moved(OperatorKind::kBroadcastTo, {2, 1}, {2, 2, 2}, {{2, 2, 2}}),
              ElementsAre(0, 0, 1, 1, 0, 0, 1, 1));
}

TEST(Rearrangements, Tile_RepeatsEveryAxis) {
  EXPECT_THAT(moved(OperatorKind::kTile, {2, 2}, {4, 4}, {{2, 2}}),
              ElementsAre(0, 1, 0, 1, 2, 3, 2, 3, 0, 1, 0, 1, 2, 3, 2, 3));
  EXPECT_THAT(moved(OperatorKind::kTile, {1, 3}, {2, 6}, {{2, 2}}),
              ElementsAre(0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2));
}

// TensorFlow Lite's definition: an element is the input's at the coordinates modulo its extents.
TEST(Rearrangements, TileOfFourAxes_IsTheInputModuloItsExtents) {
  const std::vector<int> in = {2, 1, 3, 2}, times = {1, 3, 2, 2}, out = {2, 3, 6, 4};
  std::vector<int> expected;
  for (int a = 0; a < out[0]; ++a)
    for (int b = 0; b < out[1]; ++b)
      for (int c = 0; c < out[2]; ++c)
        for (int d = 0; d < out[3]; ++d)
          expected.push_back(((a % in[0] * in[1] + b % in[1]) * in[2] + c % in[2]) * in[3] +
                             d % in[3]);
  EXPECT_EQ(moved(OperatorKind::kTile, in, out, {times}), expected);
}

TEST(Rearrangements, SpaceToDepth_AndBack) {
  const std::vector<int> deep =
      moved(OperatorKind::kSpaceToDepth, {1, 2, 4, 1}, {1, 1, 2, 4}, {}, BlockAttributes{2});
  EXPECT_THAT(deep, ElementsAre(0, 1, 4, 5, 2, 3, 6, 7));
  const std::vector<int> wide =
      moved(OperatorKind::kDepthToSpace, {1, 1, 2, 4}, {1, 2, 4, 1}, {}, BlockAttributes{2});
  EXPECT_THAT(wide, ElementsAre(0, 1, 4, 5, 2, 3, 6, 7));
}

TEST(Rearrangements, SpaceToBatch_PadsWithTheZeroPointAndBackCrops) {
  EXPECT_THAT(moved(OperatorKind::kSpaceToBatchNd, {1, 3, 2}, {2, 2, 2}, {{2}, {1, 0}}),
              ElementsAre(0, 0, 2, 3, 0, 1, 4, 5));
  EXPECT_THAT(moved(OperatorKind::kBatchToSpaceNd, {2, 2, 2}, {1, 3, 2}, {{2}, {1, 0}}),
              ElementsAre(4, 5, 2, 3, 6, 7));
  EXPECT_THAT(
      moved(OperatorKind::kBatchToSpaceNd, {4, 1, 1, 2}, {1, 2, 2, 2}, {{2, 2}, {0, 0, 0, 0}}),
      ElementsAreArray(counting(8)));
}

TEST(Gathers, ConstantAndComputedPlaces_AreTheSame) {
  EXPECT_THAT(moved(OperatorKind::kGather, {3, 2}, {2, 2}, {{2, 0}}, GatherAttributes{0, 0}),
              ElementsAre(4, 5, 0, 1));
  EXPECT_THAT(moved(OperatorKind::kGather, {2, 3}, {2, 2}, {{2, 2}}, GatherAttributes{-1, 0}),
              ElementsAre(2, 2, 5, 5));
  GraphBuilder b;
  const int rows = b.input({3}), data = b.int8_constant({3, 2}, {1, 2, 3, 4, 5, 6}, 0.5F, 0);
  b.graph.tensors[static_cast<size_t>(rows)].type = ElementType::kInt32;
  const int out = b.activation({3, 2});
  b.op(OperatorKind::kEmbeddingLookup, {rows, data}, {out});
  b.graph.outputs = {out};
  // Indices out of range are clamped: no network reads beyond its tensors.
  const std::vector<int32_t> at = {1, -7, 9};
  std::vector<uint8_t> bytes(at.size() * sizeof(int32_t));
  std::memcpy(bytes.data(), at.data(), bytes.size());
  EXPECT_THAT(values_of(run_imported(b.graph, {bytes})[static_cast<size_t>(out)]),
              ElementsAre(3, 4, 1, 2, 5, 6));
}

TEST(Gathers, GatherNd_TakesAsManyCoordinatesAsItIsGiven) {
  GraphBuilder b;
  const int in = b.input({2, 2, 2}), at = b.int32_constant({2, 2}, {1, 0, 0, 1});
  const int out = b.activation({2, 2});
  b.op(OperatorKind::kGatherNd, {in, at}, {out});
  b.graph.outputs = {out};
  EXPECT_THAT(values_of(run_imported(b.graph, {bytes_of(counting(8))})[static_cast<size_t>(out)]),
              ElementsAre(4, 5, 2, 3));
}

TEST(Gathers, UpdateSlice_BringsTheCornerInside) {
  GraphBuilder b;
  const int in = b.input({3, 3}), part = b.int8_constant({2, 1}, {-1, -2}, 0.5F, 0);
  const int at = b.int32_constant({2}, {5, 1});
  const int out = b.activation({3, 3});
  b.op(OperatorKind::kDynamicUpdateSlice, {in, part, at}, {out});
  b.graph.outputs = {out};
  EXPECT_THAT(values_of(run_imported(b.graph, {bytes_of(counting(9))})[static_cast<size_t>(out)]),
              ElementsAre(0, 1, 2, 3, -1, 5, 6, -2, 8));
}

TEST(Shapes, WhatAShapeDecides_IsAConstantAfterImport) {
  GraphBuilder b;
  const int in = b.input({2, 5});
  const int shape = b.activation({2}), zeros = b.activation({2, 5}, 0.5F, 7);
  const int sum = b.activation({2, 5}, 0.5F, 7);
  b.graph.tensors[static_cast<size_t>(shape)].type = ElementType::kInt32;
  b.op(OperatorKind::kShape, {in}, {shape});
  b.op(OperatorKind::kZerosLike, {in}, {zeros});
  b.op(OperatorKind::kMaximum, {in, zeros}, {sum});
  b.graph.outputs = {sum};
  const Graph graph = imported(b.graph);
  EXPECT_TRUE(graph.tensor(shape).is_constant);
  EXPECT_THAT(graph.tensor(shape).data, ElementsAre(2, 0, 0, 0, 5, 0, 0, 0));
  EXPECT_THAT(graph.tensor(zeros).data, testing::Each(0));
}

// Runs BROADCAST_ARGS on [5, 1] and `other`, with a result of three axes.
std::string broadcast_args(const std::vector<int32_t>& other, Bytes& result) {
  GraphBuilder b;
  const int in = b.input({2}), left = b.int32_constant({2}, {5, 1});
  const int right = b.int32_constant({static_cast<int>(other.size())}, other);
  const int shape = b.activation({3});
  b.graph.tensors[static_cast<size_t>(shape)].type = ElementType::kInt32;
  b.op(OperatorKind::kBroadcastArgs, {left, right}, {shape});
  b.graph.outputs = {in};
  b.op(OperatorKind::kRelu, {in}, {b.activation({2})});
  const auto read = import_tflite(write_tflite(b.graph), "net");
  if (!read) return read.error().message();
  result = read->tensor(shape).data;
  return {};
}

TEST(Shapes, BroadcastArgs_IsTheShapeThatTwoMake) {
  Bytes shape;
  EXPECT_EQ(broadcast_args({2, 1, 3}, shape), "");
  EXPECT_THAT(shape, ElementsAre(2, 0, 0, 0, 5, 0, 0, 0, 3, 0, 0, 0));
  EXPECT_THAT(broadcast_args({2, 4, 3}, shape), testing::HasSubstr("do not repeat"));
}

TEST(Shapes, Fill_RepeatsAComputedValue) {
  GraphBuilder b;
  const int in = b.input({1}), shape = b.int32_constant({2}, {2, 2}), out = b.activation({2, 2});
  b.op(OperatorKind::kFill, {shape, in}, {out});
  b.graph.outputs = {out};
  EXPECT_THAT(values_of(run_imported(b.graph, {{9}})[static_cast<size_t>(out)]),
              ElementsAre(9, 9, 9, 9));
}

}  // namespace
}  // namespace tinytune
