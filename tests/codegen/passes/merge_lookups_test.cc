// Merging of chains of look-ups, and of look-ups into the operator before or behind them.
#include <gtest/gtest.h>

#include <variant>
#include <vector>

#include "tests/codegen/graph_builder.h"
#include "tests/codegen/passes/one_pass.h"

namespace tinytune {
namespace {

using test::expect_same_outputs;
using test::GraphBuilder;

TEST(MergeLookups, ChainOfOneByteFunctions_IsOneTable) {
  GraphBuilder b;
  const int x = b.input({2, 7}, 0.1F, 4);
  const int y = b.op(OperatorKind::kTanh, {x}, {}, {2, 7}, 1.0F / 128, 0);
  const int z = b.op(OperatorKind::kQuantize, {y}, {}, {2, 7}, 0.02F, -3);
  const Graph graph = b.finish({b.op(OperatorKind::kLogistic, {z}, {}, {2, 7}, 1.0F / 256, -128)});
  const IntegerNetwork network = expect_same_outputs(graph, "merge-lookups");
  EXPECT_EQ(network.ops.size(), 1u);
  EXPECT_EQ(network.absorbed.size(), 2u);
}

TEST(MergeLookups, QuantizeBetweenEqualScales_NeedsNoTable) {
  GraphBuilder b;
  const int x = b.input({1, 6}, 0.1F, 4);
  const int y = b.op(OperatorKind::kQuantize, {x}, {}, {1, 6}, 0.1F, 4);
  const Graph graph = b.finish({y});
  const IntegerNetwork network = expect_same_outputs(graph, "merge-lookups");
  EXPECT_TRUE(std::holds_alternative<CopyOp>(network.ops.at(0)));
}

TEST(MergeLookups, TableOfSums_TakesTheLookupBehindIt) {
  GraphBuilder b;
  const int x = b.input({2, 7}, 1, 0), y = b.input({2, 1}, 1, 0);
  std::vector<int32_t> terms, table;
  for (int i = 0; i < 512; ++i) terms.push_back(i % 256);
  for (int sum = 0; sum <= 510; ++sum) table.push_back(sum / 2 - 128);
  const int sums = b.op(OperatorKind::kIntegerSumTable,
                        {x, y, b.integers(terms), b.integers(table)}, {}, {2, 7}, 1, 0);
  const Graph graph = b.finish({b.op(OperatorKind::kTanh, {sums}, {}, {2, 7}, 1.0F / 128, 0)});
  EXPECT_EQ(expect_same_outputs(graph, "merge-lookups").ops.size(), 1u);
}

TEST(MergeLookups, SoftmaxOfPlainIntegers_TakesTheLookupBehindIt) {
  GraphBuilder b;
  const int x = b.input({2, 7}, 1, 0);
  std::vector<int32_t> terms;
  for (int d = 0; d < 256; ++d) terms.push_back(100000 / (1 + d));
  const int shares = b.op(OperatorKind::kIntegerSoftmax,
                          {x, b.integers(terms), -1, b.integers({255})}, {}, {2, 7}, 1, -128);
  const Graph graph = b.finish({b.op(OperatorKind::kTanh, {shares}, {}, {2, 7}, 1.0F / 128, 0)});
  EXPECT_EQ(expect_same_outputs(graph, "merge-lookups").ops.size(), 1u);
}

TEST(MergeLookups, Product_LooksUpItsOperandsItself) {
  GraphBuilder b;
  const int x = b.input({2, 7}, 0.1F, 4), y = b.input({2, 7}, 0.05F, -9);
  const int gate = b.op(OperatorKind::kLogistic, {x}, {}, {2, 7}, 1.0F / 256, -128);
  const int value = b.op(OperatorKind::kTanh, {y}, {}, {2, 7}, 1.0F / 128, 0);
  const Graph graph =
      b.finish({b.op(OperatorKind::kMul, {gate, value}, ActivationAttributes{}, {2, 7}, 0.01F, 3)});
  EXPECT_EQ(expect_same_outputs(graph, "merge-lookups").ops.size(), 1u);
}

TEST(MergeLookups, GateOfAByteByItself_IsOneTable) {
  GraphBuilder b;
  const int x = b.input({2, 7}, 0.1F, 4);
  const int gate = b.op(OperatorKind::kLogistic, {x}, {}, {2, 7}, 1.0F / 256, -128);
  const int y = b.op(OperatorKind::kMul, {x, gate}, ActivationAttributes{}, {2, 7}, 0.05F, 3);
  const Graph graph = b.finish({b.op(OperatorKind::kTanh, {y}, {}, {2, 7}, 1.0F / 128, 0)});
  const IntegerNetwork network = expect_same_outputs(graph, "merge-lookups");
  ASSERT_EQ(network.ops.size(), 1u);
  EXPECT_TRUE(std::holds_alternative<LookupOp>(network.ops[0]));
}

// After broadcasting, each element would be looked up many times.
TEST(MergeLookups, OperandThatIsRepeated_IsLookedUpOnce) {
  GraphBuilder b;
  const int x = b.input({2, 7}, 0.1F, 4), y = b.input({2, 1}, 0.05F, -9);
  const int gate = b.op(OperatorKind::kLogistic, {y}, {}, {2, 1}, 1.0F / 256, -128);
  const Graph graph =
      b.finish({b.op(OperatorKind::kMul, {x, gate}, ActivationAttributes{}, {2, 7}, 0.01F, 3)});
  EXPECT_EQ(expect_same_outputs(graph, "merge-lookups").ops.size(), 2u);
}

}  // namespace
}  // namespace tinytune
