// The reference operators against TensorFlow Lite Micro's own answers, byte for byte. The vectors
// in this tree suffice; public networks are compared too if they are there.
#include <gtest/gtest.h>

#include <map>

#include "models/integer_network.h"
#include "models/operator_kind.h"
#include "models/tflite/tflite.h"
#include "tests/golden/tflm_vectors.h"

namespace tinytune::test {
namespace {

/// Returns the outputs of all calls of a vector, with state kept between them.
Bytes outputs_of(const Graph& graph, const Bytes& inputs) {
  auto network = integer_network(graph);
  EXPECT_TRUE(network) << network.error().message();
  if (!network) return {};
  NetworkState state = initial_state(graph);
  Bytes outputs;
  for (const auto& given : calls_of(inputs, graph)) {
    const auto values = run_reference(*network, given, state);
    EXPECT_TRUE(values) << values.error().message();
    if (!values) return outputs;
    for (const int id : graph.outputs) {
      const Bytes& value = values->at(static_cast<size_t>(id));
      outputs.insert(outputs.end(), value.begin(), value.end());
    }
  }
  return outputs;
}

void expect_reproduced(const TflmVector& vector) {
  SCOPED_TRACE(vector.name);
  const auto graph = import_tflite(vector.model);
  if (!vector.outputs) {
    EXPECT_FALSE(graph) << "TensorFlow Lite Micro refuses this model";
    return;
  }
  ASSERT_TRUE(graph) << graph.error().message();
  expect_answer(vector, outputs_of(*graph, vector.inputs));
}

TEST(TflmAnswers, RandomGraphs_AreReproducedOverFiveCalls) {
  const auto vectors = tflm_graphs();
  EXPECT_GE(vectors.size(), 200U);
  for (const TflmVector& vector : vectors) expect_reproduced(vector);
}

TEST(TflmAnswers, FormerFaults_AreReproducedOrRefused) {
  for (const TflmVector& vector : tflm_cases()) expect_reproduced(vector);
}

/// Third-party networks, which are not part of this tree.
class PublicNetwork : public testing::TestWithParam<const char*> {};

TEST_P(PublicNetwork, SequencesAndInputs_AreReproduced) {
  const auto network = tflm_public_network(GetParam());
  if (!network) GTEST_SKIP() << "no public network " << GetParam() << " at hand";
  expect_reproduced(*network);
}

INSTANTIATE_TEST_SUITE_P(TflmAnswers, PublicNetwork,
                         testing::Values("blazeface_front_128", "conv10", "dtln_noise_suppression",
                                         "okay_nabu", "trained_lstm_int8", "vad"));

TEST(TflmAnswers, NetworksOfTheExamples_AreReproduced) {
  const auto vectors = tflm_networks();
  EXPECT_GE(vectors.size(), 36U);
  for (const TflmVector& vector : vectors) expect_reproduced(vector);
}

/// Operators without a vector have no independent answer: the list of them may only shrink.
TEST(TflmAnswers, EveryOperatorOfInt16_AndSvdf_IsAmongTheGraphs) {
  std::map<std::string, int> seen;
  for (const TflmVector& vector : tflm_graphs()) {
    const auto graph = import_tflite(vector.model);
    if (!graph) continue;
    for (const Operator& op : graph->operators) {
      const bool wide =
          !op.outputs.empty() && graph->tensor(op.outputs[0]).type == ElementType::kInt16;
      if (wide || op.kind == OperatorKind::kSvdf) ++seen[std::string(name_of(op.kind))];
    }
  }
  for (const char* name :
       {"CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "ADD", "SUB", "MUL", "AVERAGE_POOL_2D",
        "MAX_POOL_2D", "SOFTMAX", "LOGISTIC", "TANH", "QUANTIZE", "MAXIMUM", "MINIMUM",
        "UNIDIRECTIONAL_SEQUENCE_LSTM", "SVDF"})
    EXPECT_GT(seen[name], 0) << name;
}

}  // namespace
}  // namespace tinytune::test
