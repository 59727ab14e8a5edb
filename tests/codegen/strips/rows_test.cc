#include "codegen/strips/rows.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "models/integer_network.h"
#include "tests/codegen/network_run.h"
#include "tests/codegen/strips/image_chains.h"

namespace tinytune {
namespace {

using test::Bytes;
using test::executed;
using test::ImageChain;

Bytes rows_of(const Graph& graph, const Bytes& bytes, int tensor, RowRange rows) {
  const auto row = static_cast<std::ptrdiff_t>(bytes.size()) / graph.tensor(tensor).shape[1];
  return {bytes.begin() + rows.begin * row, bytes.begin() + rows.end * row};
}

// Computes every range of rows of every operator from only those rows that its row map needs.
void expect_rows_are_enough(const Graph& graph) {
  const IntegerNetwork network = executed(graph);
  const auto values = run_reference(network, test::seeded_inputs(graph, 3));
  ASSERT_TRUE(values.has_value());
  for (size_t step = 0; step < network.ops.size(); ++step) {
    const Operator& op = network.graph.operators[step];
    const auto map = row_map(network.graph, op, network.ops[step]);
    ASSERT_TRUE(map.has_value()) << step;
    for (int begin = 0; begin < map->out_rows; ++begin)
      for (int end = begin + 1; end <= map->out_rows; ++end) {
        std::vector<Bytes> inputs;
        for (const int id : op.inputs)
          if (id >= 0 && !graph.tensor(id).is_constant)
            inputs.push_back(
                rows_of(graph, (*values)[static_cast<size_t>(id)], id, map->needed({begin, end})));
        const Bytes expected = rows_of(graph, (*values)[static_cast<size_t>(op.outputs[0])],
                                       op.outputs[0], {begin, end});
        Bytes output(expected.size());
        std::vector<std::span<const uint8_t>> reads(inputs.begin(), inputs.end());
        run_reference(computing_rows(network.ops[step], *map, {begin, end}), reads, output);
        EXPECT_EQ(output, expected) << "step " << step << " rows " << begin << " to " << end;
      }
  }
}

TEST(Rows, OfConvolutions_FollowFromTheRowsTheyNeed) {
  ImageChain chain(9, 6, 3, 1);
  chain.conv(4, {.kernel = 3});
  chain.depthwise({.kernel = 5});
  chain.conv(4, {.kernel = 3, .stride = 2});
  expect_rows_are_enough(chain.finish());
}

TEST(Rows, OfDilatedAndUnpaddedConvolutions_FollowFromTheRowsTheyNeed) {
  ImageChain chain(16, 14, 2, 2);
  chain.conv(3, {.kernel = 3, .dilation = 2});
  chain.depthwise({.kernel = 4, .padding = Padding::kValid});
  chain.conv(2, {.kernel = 1, .stride = 3});
  expect_rows_are_enough(chain.finish());
}

TEST(Rows, OfPoolsAndElementwiseOperators_FollowFromTheRowsTheyNeed) {
  ImageChain chain(11, 6, 3, 3);
  const int trunk = chain.pool({.kernel = 3}, /*average=*/true);
  chain.pool({.kernel = 3}, /*average=*/false);
  chain.add(trunk);
  chain.pool({.kernel = 2, .stride = 2}, /*average=*/false);
  expect_rows_are_enough(chain.finish());
}

TEST(Rows, OtherLayout_HasNone) {
  const Graph graph = test::mobile_chain(1);
  IntegerNetwork network = executed(graph);
  std::get<KernelOp>(network.ops[0]).workload.layout = Layout::kNchw;
  EXPECT_FALSE(row_map(network.graph, network.graph.operators[0], network.ops[0]).has_value());
  EXPECT_TRUE(row_map(network.graph, network.graph.operators[1], network.ops[1]).has_value());
}

}  // namespace
}  // namespace tinytune
