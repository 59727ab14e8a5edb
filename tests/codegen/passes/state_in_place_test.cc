// Variables are read and assigned in place where nobody can tell, and copied where somebody could.
#include <gtest/gtest.h>

#include <algorithm>

#include "codegen/passes/passes.h"
#include "tests/codegen/graph_builder.h"
#include "tests/codegen/network_run.h"

namespace tinytune {
namespace {

using test::Bytes;
using test::GraphBuilder;

constexpr float kScale = 0.1F;
constexpr int kCalls = 6;

// A window of four frames over what arrives: the last three are state.
class Streaming {
 public:
  Streaming() : x_(b_.input({1, 1, 5}, kScale, 3)), state_(b_.variable({1, 3, 5}, kScale, 3)) {}

  int read() { return b_.op(OperatorKind::kReadVariable, {state_}, {}, {1, 3, 5}, kScale, 3); }
  int window(int read) {
    return b_.op(OperatorKind::kConcatenation, {read, x_}, AxisAttributes{1}, {1, 4, 5}, kScale, 3);
  }
  int newest(int window) {
    return b_.op(OperatorKind::kSlice, {window, b_.integers({0, 1, 0}), b_.integers({1, 3, 5})}, {},
                 {1, 3, 5}, kScale, 3);
  }
  void assign(int value) {
    assigns_.push_back(b_.op(OperatorKind::kAssignVariable, {value}, {}, {1, 3, 5}, kScale, 3));
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

// Outputs of a sequence, by the reference of the graph and by generated code of what is executed,
// are the same. Returns how many operators are executed.
size_t executed_operators(const Graph& graph) {
  auto network = executed_network(graph);
  EXPECT_TRUE(network) << network.error().message();
  const Device device = *load_device("rv32imc");
  const auto generated = generate_network(*network, device, {}, {"net"});
  EXPECT_TRUE(generated) << generated.error().message();
  const auto plain = integer_network(graph);
  EXPECT_TRUE(plain) << plain.error().message();
  if (!network || !generated || !plain) return 0;
  NetworkState state = initial_state(graph), in_place = state;
  Bytes expected;
  std::vector<std::vector<Bytes>> calls;
  for (uint32_t call = 1; call <= kCalls; ++call) {
    calls.push_back(test::seeded_inputs(graph, call));
    const auto values = run_reference(*plain, calls.back(), state);
    const auto executed = run_reference(*network, calls.back(), in_place);
    EXPECT_TRUE(values && executed);
    for (const int output : graph.outputs) {
      const Bytes& value = values->at(static_cast<size_t>(output));
      EXPECT_EQ(executed->at(static_cast<size_t>(output)), value) << "call " << call;
      expected.insert(expected.end(), value.begin(), value.end());
    }
  }
  EXPECT_EQ(test::run_calls(*generated, graph, device, calls), expected);
  return network->ops.size();
}

TEST(StateInPlace, StreamingLayer_CopiesTwiceAStep) {
  Streaming s;
  const int window = s.window(s.read());
  s.assign(s.newest(window));
  EXPECT_EQ(executed_operators(s.finish({s.tanh(window, {1, 4, 5})})), 3u);  // of 5
}

TEST(StateInPlace, AssignmentBeforeTheLastReader_KeepsTheCopyThatIsRead) {
  Streaming s;
  const int old = s.read(), window = s.window(old);
  s.assign(s.newest(window));
  EXPECT_EQ(executed_operators(s.finish({s.tanh(window, {1, 4, 5}), s.tanh(old, {1, 3, 5})})), 5u);
}

TEST(StateInPlace, ReadBeforeTheAssignment_KeepsTheCopyThatIsAssigned) {
  Streaming s;
  const int window = s.window(s.read()), newest = s.newest(window), old = s.read();
  const int output = s.tanh(old, {1, 3, 5});
  s.assign(newest);
  EXPECT_EQ(executed_operators(s.finish({output})), 4u);  // both reads, but not the assignment
}

TEST(StateInPlace, OutputThatIsRead_StaysACopy) {
  Streaming s;
  const int old = s.read(), window = s.window(old);
  s.assign(s.newest(window));
  EXPECT_EQ(executed_operators(s.finish({old, s.tanh(window, {1, 4, 5})})), 4u);
}

TEST(StateInPlace, ValueThatOthersRead_IsAssignedByACopy) {
  Streaming s;
  const int window = s.window(s.read()), newest = s.newest(window);
  s.assign(newest);
  EXPECT_EQ(executed_operators(s.finish({s.tanh(newest, {1, 3, 5})})), 4u);
}

}  // namespace
}  // namespace tinytune
