// Products read the input of a TRANSPOSE instead of its copy, where that makes them no slower.
#include <gtest/gtest.h>

#include "tests/codegen/graph_builder.h"
#include "tests/codegen/passes/sequence_run.h"

namespace tinytune {
namespace {

using test::expect_same_sequence;
using test::GraphBuilder;

// x [2, 3, 8] times y transposed by `axes`.
IntegerNetwork by_transposed(std::vector<int> y_shape, std::vector<int> axes, bool is_read_twice) {
  GraphBuilder b;
  const int x = b.input({2, 3, 8}, 0.1F, 3), y = b.input(y_shape, 0.1F, -7);
  std::vector<int> turned;
  for (const int axis : axes) turned.push_back(y_shape[static_cast<size_t>(axis)]);
  const int columns = b.op(OperatorKind::kTranspose, {y, b.integers({axes.begin(), axes.end()})},
                           {}, turned, 0.1F, -7);
  std::vector<int> outputs = {b.op(OperatorKind::kBatchMatMul, {x, columns},
                                   BatchMatMulAttributes{}, {2, 3, turned.back()}, 1.0F, 0)};
  if (is_read_twice) outputs.push_back(columns);
  return expect_same_sequence(b.finish(outputs));
}

TEST(ReadTransposed, ColumnsThatAreRows_AreReadWhereTheyStand) {
  EXPECT_EQ(by_transposed({2, 5, 8}, {0, 2, 1}, false).ops.size(), 1U);
}

TEST(ReadTransposed, BatchesBehindRows_AreReadWhereTheyStand) {
  EXPECT_EQ(by_transposed({8, 2, 5}, {1, 0, 2}, false).ops.size(), 1U);
}

TEST(ReadTransposed, CopyThatOthersRead_Stays) {
  EXPECT_EQ(by_transposed({2, 5, 8}, {0, 2, 1}, true).ops.size(), 2U);
}

}  // namespace
}  // namespace tinytune
