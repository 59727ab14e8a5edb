// Networks that keep state from one inference to the next.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>

#include "examples/tflite_writer.h"
#include "models/integer_network.h"
#include "models/operator_kind.h"
#include "models/tflite/tflite.h"
#include "tests/models/operator_run.h"

namespace tinytune {
namespace {

struct Svdf {
  Graph graph;
  int output = 0, state = 0;
};

// Two units of rank 1 with a memory of 3, on three inputs.
Svdf svdf_network(ElementType state_type) {
  GraphBuilder b;
  const int x = b.input({1, 3}, 0.1F, 2);
  const int feature = b.int8_constant({2, 3}, {100, -50, 20, 7, 90, -120}, 0.01F, 0);
  int time = b.int8_constant({2, 3}, {10, 60, 120, -40, 80, 100}, 1.0F / 128, 0);
  const bool wide = state_type == ElementType::kInt16;
  if (wide) {
    Tensor& t = b.graph.tensors[static_cast<size_t>(time)];
    t.type = ElementType::kInt16;
    Bytes bytes;
    for (const uint8_t byte : t.data)
      bytes.insert(bytes.end(), {byte, byte < 128 ? uint8_t{0} : uint8_t{255}});
    t.data = bytes;
  }
  const int bias = b.bias({300, -200}, (wide ? 0.001F : 0.2F) / 128);
  const int state = b.activation({1, 6}, wide ? 0.001F : 0.2F, wide ? 0 : -5);
  b.graph.tensors[static_cast<size_t>(state)].type = state_type;
  b.graph.tensors[static_cast<size_t>(state)].is_variable = true;
  const int y = b.activation({1, 2}, 0.25F, 1);
  b.op(OperatorKind::kSvdf, {x, feature, time, bias, state}, {y}, SvdfAttributes{1});
  b.graph.outputs = {y};
  return {b.graph, y, state};
}

// The result depends on changing state, so import cannot compute it from a constant.
TEST(Svdf, OfAConstant_IsRefused) {
  Graph graph = svdf_network(ElementType::kInt8).graph;
  Tensor& input = graph.tensors[static_cast<size_t>(graph.inputs.at(0))];
  input.is_constant = true;
  input.data = {1, 2, 3};
  graph.inputs.clear();
  const auto network = integer_network(graph);
  ASSERT_FALSE(network);
  EXPECT_THAT(network.error().message(), testing::HasSubstr("is a constant"));
}

TEST(Svdf, SeveralInferences_AreNearTheRealFilter) {
  for (const ElementType type : {ElementType::kInt16, ElementType::kInt8}) {
    const Svdf svdf = svdf_network(type);
    const auto network = integer_network(imported(svdf.graph));
    ASSERT_TRUE(network) << network.error().message();
    NetworkState state = initial_state(network->graph);
    const double state_scale = type == ElementType::kInt16 ? 0.001 : 0.2;
    const double weights[2][3] = {{100, -50, 20}, {7, 90, -120}};
    const double times[2][3] = {{10, 60, 120}, {-40, 80, 100}};
    const double biases[2] = {300, -200};
    std::deque<double> memory[2] = {{0, 0, 0}, {0, 0, 0}};
    for (int step = 0; step < 5; ++step) {
      std::vector<int> input;
      for (int i = 0; i < 3; ++i) input.push_back((37 * step + 51 * i) % 200 - 100);
      const auto values = run_reference(*network, std::vector<Bytes>{bytes_of(input)}, state);
      ASSERT_TRUE(values);
      const auto got = values_of((*values)[static_cast<size_t>(svdf.output)]);
      for (size_t unit = 0; unit < 2; ++unit) {
        double feature = 0, sum = biases[unit] * state_scale / 128;
        for (size_t i = 0; i < 3; ++i) feature += 0.01 * weights[unit][i] * 0.1 * (input[i] - 2);
        memory[unit].pop_front();
        memory[unit].push_back(feature);
        for (size_t i = 0; i < 3; ++i) sum += times[unit][i] / 128 * memory[unit][i];
        EXPECT_NEAR(got[unit], std::clamp(sum / 0.25 + 1, -128.0, 127.0),
                    type == ElementType::kInt16 ? 0.8 : 1.6)
            << "step " << step;
      }
    }
  }
}

// An int8 feature is clamped first, and the zero point added to it wraps.
TEST(Svdf, Int8StateBeyondItsRange_Wraps) {
  Svdf svdf = svdf_network(ElementType::kInt8);
  svdf.graph.tensors[static_cast<size_t>(svdf.state)].quantization = {{0.001F}, {-5}, 0};
  svdf.graph.tensors[3].quantization.scales = {0.001F / 128};
  const Graph graph = imported(svdf.graph);
  const auto network = integer_network(graph);
  ASSERT_TRUE(network) << network.error().message();
  NetworkState state = initial_state(graph);
  ASSERT_TRUE(run_reference(*network, std::vector<Bytes>{bytes_of({127, -128, 0})}, state));
  const std::vector<int> kept = values_of(state[static_cast<size_t>(svdf.state)]);
  EXPECT_EQ(kept.at(2), 127 - 5);         // 127 is the most
  EXPECT_EQ(kept.at(5), -128 - 5 + 256);  // -128 the least
}

TEST(Svdf, BiasOfAnotherScale_IsRefused) {
  Graph graph = svdf_network(ElementType::kInt8).graph;
  graph.tensors[3].quantization = {};
  const auto network = integer_network(graph);
  ASSERT_FALSE(network);
  EXPECT_THAT(network.error().message(), testing::HasSubstr("write the bias with that scale"));
}

TEST(State, AfterAReset_VariablesStandForZero) {
  const Svdf narrow = svdf_network(ElementType::kInt8);
  EXPECT_THAT(initial_state(narrow.graph)[static_cast<size_t>(narrow.state)],
              testing::Each(static_cast<uint8_t>(-5)));
  const Svdf wide = svdf_network(ElementType::kInt16);
  EXPECT_THAT(initial_state(wide.graph)[static_cast<size_t>(wide.state)],
              testing::AllOf(testing::SizeIs(12), testing::Each(0)));
}

TEST(State, OneInference_IsTheFirstAfterAReset) {
  const Graph graph = imported(svdf_network(ElementType::kInt16).graph);
  const auto network = integer_network(graph);
  ASSERT_TRUE(network);
  const std::vector<Bytes> inputs = {{10, 20, 30}};
  NetworkState state = initial_state(graph);
  const auto first = run_reference(*network, inputs, state);
  const auto second = run_reference(*network, inputs, state);
  const auto alone = run_reference(graph, inputs);
  ASSERT_TRUE(first && second && alone);
  EXPECT_EQ(*first, *alone);
  EXPECT_NE(*first, *second);
}

// Outputs each input one inference later. The first output is `initial`, if that is not empty.
Graph delay_network(std::vector<uint8_t> initial, bool reads_last = false) {
  GraphBuilder b;
  const int x = b.input({2}, 0.5F, 3);
  const int variable = b.activation({2}, 0.5F, 3), y = b.activation({2}, 0.5F, 3);
  Tensor& v = b.graph.tensors[static_cast<size_t>(variable)];
  v.is_variable = true;
  v.name = "delay";
  v.data = std::move(initial);
  if (!v.data.empty()) b.op(OperatorKind::kCallOnce, {}, {variable});
  b.op(OperatorKind::kVarHandle, {}, {variable});
  if (!reads_last) b.op(OperatorKind::kReadVariable, {variable}, {y});
  b.op(OperatorKind::kAssignVariable, {x}, {variable});
  if (reads_last) b.op(OperatorKind::kReadVariable, {variable}, {y});
  b.graph.outputs = {y};
  return b.graph;
}

// Returns the outputs of two inferences after a reset, on {1, 2} and {5, 6}.
std::vector<std::vector<int>> two_inferences(const Graph& written) {
  const Graph graph = imported(written);
  const auto network = integer_network(graph);
  EXPECT_TRUE(network);
  if (!network) return {};
  NetworkState state = initial_state(graph);
  std::vector<std::vector<int>> outputs;
  for (const Bytes& input : {Bytes{1, 2}, Bytes{5, 6}}) {
    const auto values = run_reference(*network, std::vector<Bytes>{input}, state);
    EXPECT_TRUE(values);
    if (values) outputs.push_back(values_of((*values)[static_cast<size_t>(graph.outputs[0])]));
  }
  return outputs;
}

using testing::ElementsAre;

TEST(ResourceVariable, ReadBeforeItIsAssigned_HasWhatTheLastInferenceLeft) {
  EXPECT_THAT(two_inferences(delay_network({})), ElementsAre(ElementsAre(3, 3), ElementsAre(1, 2)));
}

TEST(ResourceVariable, ReadBehindItsAssignment_HasTheNewValue) {
  EXPECT_THAT(two_inferences(delay_network({}, true)),
              ElementsAre(ElementsAre(1, 2), ElementsAre(5, 6)));
}

TEST(ResourceVariable, CallOnce_SaysWhatAResetGives) {
  EXPECT_THAT(two_inferences(delay_network({40, 50})),
              ElementsAre(ElementsAre(40, 50), ElementsAre(1, 2)));
}

TEST(ResourceVariable, TwoHandlesOfOneName_AreOneVariable) {
  Graph graph = delay_network({});
  Tensor other = graph.tensor(graph.operators[0].outputs[0]);
  other.id = static_cast<int>(graph.tensors.size());
  graph.tensors.push_back(other);
  graph.operators[1].inputs = {other.id};  // READ_VARIABLE
  graph.operators.insert(graph.operators.begin() + 1,
                         {1, OperatorKind::kVarHandle, {}, {other.id}, {}});
  EXPECT_THAT(two_inferences(graph), ElementsAre(ElementsAre(3, 3), ElementsAre(1, 2)));
}

TEST(ResourceVariable, OfUint8_IsResetToItsZeroPointOnBothSidesOfAFile) {
  Graph graph = delay_network({});
  for (Tensor& t : graph.tensors) {
    t.type = ElementType::kUint8;
    t.quantization.zero_points = {164};
  }
  const auto variable = static_cast<size_t>(graph.operators[0].outputs[0]);
  EXPECT_THAT(initial_state(graph)[variable], testing::ElementsAre(164, 164));
  const Graph read = imported(graph);
  EXPECT_THAT(initial_state(read)[variable], testing::ElementsAre(164, 164));
}

TEST(ResourceVariable, NeverAssigned_IsRefused) {
  Graph graph = delay_network({});
  graph.operators.pop_back();
  EXPECT_THAT(refusal_of(graph), testing::HasSubstr("variable 'delay' is never assigned"));
}

TEST(ResourceVariable, InitialisedBehindItsUse_IsRefused) {
  Graph graph = delay_network({40, 50});
  std::rotate(graph.operators.begin(), graph.operators.begin() + 1, graph.operators.end());
  EXPECT_THAT(refusal_of(graph), testing::HasSubstr("'delay' is used before it is initialised"));
}

TEST(ResourceVariable, ReadWithoutReadVariable_IsRefused) {
  Graph graph = delay_network({});
  graph.operators[1].kind = OperatorKind::kLogistic;
  EXPECT_THAT(refusal_of(graph),
              testing::HasSubstr(
                  "operator 1 LOGISTIC: t1 is a variable's handle; READ_VARIABLE gives its value"));
}

TEST(State, OfInt16WithAZeroPoint_IsRefused) {
  Svdf svdf = svdf_network(ElementType::kInt16);
  svdf.graph.tensors[static_cast<size_t>(svdf.state)].quantization.zero_points = {7};
  EXPECT_THAT(refusal_of(svdf.graph),
              testing::HasSubstr("it is a variable of int16 whose zero point is 7, not 0"));
}

TEST(ResourceVariable, ValueOfAnotherSize_IsRefused) {
  Graph graph = delay_network({});
  graph.tensors[static_cast<size_t>(graph.outputs[0])].shape = {3};
  EXPECT_THAT(refusal_of(graph), testing::HasSubstr("differ in size"));
}

}  // namespace
}  // namespace tinytune
