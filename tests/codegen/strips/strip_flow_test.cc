#include "codegen/strips/strip_flow.h"

#include <gtest/gtest.h>

#include <map>

#include "models/integer_network.h"
#include "tests/codegen/network_run.h"
#include "tests/codegen/strips/image_chains.h"

namespace tinytune {
namespace {

using test::executed;

StripFlow flow_of(const Graph& graph, const StripGroup& group) {
  const IntegerNetwork network = executed(graph);
  auto flow = strip_flow(network.graph, network.ops, group);
  EXPECT_TRUE(flow.has_value()) << (flow ? "" : flow.error().message());
  return flow ? *flow : StripFlow();
}

TEST(StripFlow, EveryRowIsComputedOnceAndAfterWhatItNeeds) {
  const Graph graph = test::mobile_chain(1);
  for (int rows = 1; rows <= 7; ++rows) {
    const StripFlow flow = flow_of(graph, {0, 4, rows});
    std::map<int, int> done = {{graph.inputs[0], 13}};  // rows, by tensor
    for (const Strip& strip : flow.strips)
      for (const RowCall& call : strip.calls) {
        const Operator& op = graph.operators[call.step];
        EXPECT_EQ(call.in, flow.map(call.step).needed(call.out));
        EXPECT_LE(call.in.end, done[op.inputs[0]]);
        EXPECT_EQ(call.out.begin, done[op.outputs[0]]);
        done[op.outputs[0]] = call.out.end;
      }
    EXPECT_EQ(done[flow.output], 7) << rows;
    EXPECT_EQ(done[graph.operators[0].outputs[0]], 13) << rows;
  }
}

TEST(StripFlow, NeverLeavesTheWindows) {
  const StripFlow flow = flow_of(test::mobile_chain(1), {0, 4, 2});
  for (const Strip& strip : flow.strips)
    for (size_t w = 0; w < flow.windows.size(); ++w)
      for (const RowCall& call : strip.calls) {
        if (static_cast<int>(call.step) != static_cast<int>(w)) continue;  // its writer
        EXPECT_GE(call.out.begin, strip.window_row[w]);
        EXPECT_LE(call.out.end - strip.window_row[w], flow.windows[w].rows);
      }
  EXPECT_LE(flow.windows[0].rows, 8);  // of 13
}

TEST(StripFlow, RowsThatNobodyNeedsAgain_LeaveTheWindowToOthers) {
  const StripFlow flow = flow_of(test::mobile_chain(1), {0, 4, 1});
  EXPECT_EQ(flow.windows[1].first_step, 1);  // between depthwise and 1x1
  EXPECT_EQ(flow.windows[1].last_step, 2);
  EXPECT_EQ(flow.windows[2].first_step, 0);  // its rows are read again by the next 3x3
  EXPECT_EQ(flow.windows[2].last_step, 4);
}

TEST(StripFlow, DepthwiseAndPointwise_RunIntoTheirInputByOneRow) {
  const StripFlow flow = flow_of(test::mobile_chain(1), {1, 2, 4});
  ASSERT_EQ(flow.runs_into.size(), 1u);
  // When rows 0 to 11 of 16 channels are written, row 11 of 8 channels is still needed.
  EXPECT_EQ(flow.runs_into[0].distance, 12 * 8 * 16 - 11 * 8 * 8);
}

TEST(StripFlow, ElementwiseLast_WritesOverTheRowsItReads) {
  const StripFlow flow = flow_of(test::residual_block(1), {1, 3, 3});
  ASSERT_EQ(flow.runs_into.size(), 1u);
  // Rows below a strip are read again by the next one's first convolution: 2 of its halo.
  EXPECT_EQ(flow.runs_into[0].distance, 0);
}

TEST(StripFlow, ResultThatOthersRead_IsRefused) {
  const Graph graph = test::residual_block(1);
  const IntegerNetwork network = executed(graph);
  const auto flow = strip_flow(network.graph, network.ops, {0, 2, 2});
  ASSERT_FALSE(flow.has_value());
  EXPECT_EQ(flow.error().message(),
            "operator 0 is in no group of strips: operator 3 reads its result");
}

}  // namespace
}  // namespace tinytune
