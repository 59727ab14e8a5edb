// Blocks of sums in lanes: remainders of rows and columns, depths that empty the lanes once or
// several times, either side staged, and bytes that bring the lanes to their limits.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "base/toolchain.h"
#include "tests/codegen/graph_builder.h"
#include "tests/codegen/network_run.h"

namespace tinytune {
namespace {

using test::Bytes;
using test::expect_exact;
using test::GraphBuilder;

struct LaneProduct {
  int rows, columns, depth;
  BatchMatMulAttributes attributes = {};
  std::vector<int> batches = {};
  int left_zero = -128, right_zero = 9;
};

Graph graph_of(const LaneProduct& p) {
  const auto shape = [&](int a, int b) {
    std::vector<int> all = p.batches;
    all.insert(all.end(), {a, b});
    return all;
  };
  GraphBuilder b;
  const auto [adj_x, adj_y] = p.attributes;
  const int x = b.input(adj_x ? shape(p.depth, p.rows) : shape(p.rows, p.depth), 0.1F, p.left_zero);
  const int y =
      b.input(adj_y ? shape(p.columns, p.depth) : shape(p.depth, p.columns), 0.1F, p.right_zero);
  // With this scale, sums of random bytes reach most results, and few are clamped.
  const float scale = 0.1F * static_cast<float>(p.depth) / 8;
  return b.finish({b.op(OperatorKind::kBatchMatMul, {x, y}, p.attributes, shape(p.rows, p.columns),
                        scale, -3)});
}

Bytes lane_bytes(size_t count, const std::vector<int8_t>& among, uint32_t seed) {
  std::mt19937 rng(seed);
  Bytes bytes(count);
  for (uint8_t& b : bytes)
    b = static_cast<uint8_t>(among.empty() ? static_cast<int8_t>(rng())
                                           : among[rng() % among.size()]);
  return bytes;
}

uint64_t expect_exact_lanes(const LaneProduct& p, const std::vector<int8_t>& left,
                            const std::vector<int8_t>& right) {
  const Graph graph = graph_of(p);
  const auto bytes = [&](int i) {
    return static_cast<size_t>(graph.tensor(graph.inputs[static_cast<size_t>(i)]).bytes());
  };
  return expect_exact(graph, *load_device("rv32imc"),
                      {lane_bytes(bytes(0), left, 1), lane_bytes(bytes(1), right, 2)})
      .instructions;
}

TEST(LaneBlocks, RowsColumnsAndDepths_EqualTheReference) {
  const LaneProduct all[] = {
      {6, 4, 64, {.adj_y = true}},
      {8, 9, 64, {.adj_y = true}},                    // a row of ones, a column over
      {9, 7, 64, {.adj_y = true}, {}, -128, 0},       // no offset on the right
      {8, 7, 40, {.adj_y = true}, {}, 0, 127},        // none on the left: no sums of columns
      {10, 6, 63, {.adj_y = true}},                   // a row over, an odd depth
      {11, 8, 66, {.adj_y = true}},                   // lanes emptied twice
      {7, 5, 130, {.adj_y = false}},                  // three times, the right side by columns
      {12, 21, 128, {.adj_x = true}, {}, 127, -128},  // both by columns
      {13, 12, 24, {.adj_x = true, .adj_y = true}},
      {5, 40, 32, {.adj_y = false}, {}, 5, 0},  // columns staged
      {16, 5, 48, {.adj_y = true}, {3}},        // one product after another
      {6, 6, 33, {.adj_y = false}, {2, 2}},
  };
  for (const LaneProduct& p : all) {
    SCOPED_TRACE(std::to_string(p.rows) + "x" + std::to_string(p.depth) + "x" +
                 std::to_string(p.columns));
    expect_exact_lanes(p, {}, {});
  }
}

// Sums of 64 products reach the limits of their lanes and of the neighbouring ones.
TEST(LaneBlocks, BytesOfOneKind_KeepWithinTheirLanes) {
  for (const std::vector<int8_t>& left :
       {std::vector<int8_t>{-128}, std::vector<int8_t>{127}, std::vector<int8_t>{-128, 127}})
    for (const std::vector<int8_t>& right : {std::vector<int8_t>{-128}, std::vector<int8_t>{127}})
      for (const int depth : {64, 128})
        expect_exact_lanes({8, 5, depth, {.adj_y = true}, {}, 127, -128}, left, right);
}

// The code is C: clang 19 spends 2.44.
TEST(LaneBlocks, AttentionScores_TakeAtMostTwoAndAFifthInstructionsAProduct) {
  EXPECT_LT(expect_exact_lanes({32, 32, 64, {.adj_y = true}, {}, 7, -3}, {}, {}),
            32u * 32 * 64 * (llvm_version() == 14 ? 22 : 25) / 10);
}

}  // namespace
}  // namespace tinytune
