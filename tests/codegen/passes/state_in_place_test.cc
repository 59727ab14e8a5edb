// Variables are read and assigned in place, but copied if an operator could see the difference.
#include <gtest/gtest.h>

#include <algorithm>

#include "codegen/networks/network.h"
#include "tests/codegen/graph_builder.h"
#include "tests/codegen/network_run.h"
#include "tests/codegen/passes/sequence_run.h"

namespace tinytune {
namespace {

using test::GraphBuilder;

constexpr float kStateScale = 0.1F;

// A window over the last four frames, of which three are state.
class InPlaceStreaming {
 public:
  InPlaceStreaming()
      : x_(b_.input({1, 1, 5}, kStateScale, 3)), state_(b_.variable({1, 3, 5}, kStateScale, 3)) {}

  int read() { return b_.op(OperatorKind::kReadVariable, {state_}, {}, {1, 3, 5}, kStateScale, 3); }
  int window(int read) {
    return b_.op(OperatorKind::kConcatenation, {read, x_}, AxisAttributes{1}, {1, 4, 5},
                 kStateScale, 3);
  }
  int newest(int window) {
    return b_.op(OperatorKind::kSlice, {window, b_.integers({0, 1, 0}), b_.integers({1, 3, 5})}, {},
                 {1, 3, 5}, kStateScale, 3);
  }
  void assign(int value) {
    assigns_.push_back(
        b_.op(OperatorKind::kAssignVariable, {value}, {}, {1, 3, 5}, kStateScale, 3));
  }
  int tanh(int value, std::vector<int> shape) {
    return b_.op(OperatorKind::kTanh, {value}, {}, std::move(shape), 1.0F / 128, 0);
  }
  Graph finish(std::vector<int> outputs) {
    Graph graph = b_.finish(std::move(outputs));
    for (Operator& op : graph.operators)
      if (std::find(assigns_.begin(), assigns_.end(), op.outputs[0]) != assigns_.end())
        op.outputs = {state_};
    return graph;
  }

 private:
  GraphBuilder b_;
  int x_, state_;
  std::vector<int> assigns_;
};

// Returns how many operators remain without pass shift-state.
size_t executed_operators(const Graph& graph) {
  return test::expect_same_sequence(graph, {"shift-state"}).ops.size();
}

TEST(StateInPlace, StreamingLayer_CopiesTwiceAStep) {
  InPlaceStreaming s;
  const int window = s.window(s.read());
  s.assign(s.newest(window));
  EXPECT_EQ(executed_operators(s.finish({s.tanh(window, {1, 4, 5})})), 3u);  // of 5
}

TEST(StateInPlace, AssignmentBeforeTheLastReader_KeepsTheCopyThatIsRead) {
  InPlaceStreaming s;
  const int old = s.read(), window = s.window(old);
  s.assign(s.newest(window));
  EXPECT_EQ(executed_operators(s.finish({s.tanh(window, {1, 4, 5}), s.tanh(old, {1, 3, 5})})), 5u);
}

TEST(StateInPlace, ReadBeforeTheAssignment_KeepsTheCopyThatIsAssigned) {
  InPlaceStreaming s;
  const int window = s.window(s.read()), newest = s.newest(window), old = s.read();
  const int output = s.tanh(old, {1, 3, 5});
  s.assign(newest);
  EXPECT_EQ(executed_operators(s.finish({output})), 4u);  // both reads, but not the assignment
}

TEST(StateInPlace, OutputThatIsRead_StaysACopy) {
  InPlaceStreaming s;
  const int old = s.read(), window = s.window(old);
  s.assign(s.newest(window));
  EXPECT_EQ(executed_operators(s.finish({old, s.tanh(window, {1, 4, 5})})), 4u);
}

TEST(StateInPlace, ValueThatOthersRead_IsAssignedByACopy) {
  InPlaceStreaming s;
  const int window = s.window(s.read()), newest = s.newest(window);
  s.assign(newest);
  EXPECT_EQ(executed_operators(s.finish({s.tanh(newest, {1, 3, 5})})), 4u);
}

TEST(StateInPlace, ReaderInStrips_ReadsItsOwnRows) {
  GraphBuilder b;
  const std::vector<int> shape = {1, 6, 4, 2};
  const int x = b.input(shape, kStateScale, 3), state = b.variable(shape, kStateScale, 3);
  const int old = b.op(OperatorKind::kReadVariable, {state}, {}, shape, kStateScale, 3);
  const int y = b.op(OperatorKind::kTanh, {old}, {}, shape, 1.0F / 128, 0);
  const int assigned = b.op(OperatorKind::kAssignVariable, {x}, {}, shape, kStateScale, 3);
  Graph graph = b.finish({y});
  graph.operators[2].outputs = {state};
  graph.tensors.pop_back();
  ASSERT_EQ(assigned, static_cast<int>(graph.tensors.size()));
  for (uint8_t i = 0; i < 48; ++i) graph.tensors[static_cast<size_t>(state)].data.push_back(i);
  test::expect_exact(graph, *load_device("rv32imc"), test::seeded_inputs(graph, 3),
                     {.name = "net", .strips = {{1, 1, 2}}});
}

}  // namespace
}  // namespace tinytune
