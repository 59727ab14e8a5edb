// Generated code against TensorFlow Lite Micro's own answers, byte for byte, in the simulator.
//
// The networks' other tests compare generated code with the reference operators, which have the
// same authors.
#include <gtest/gtest.h>

#include "models/tflite/tflite.h"
#include "tests/codegen/network_run.h"
#include "tests/golden/tflm_vectors.h"

namespace tinytune::test {
namespace {

constexpr size_t kParts = 8;  // parts that ctest can run in parallel

// Cores of three families, used in turn.
constexpr const char* kDevices[] = {"rv32imc", "cortex-m4", "rp2040"};

void expect_generated_answer(const TflmVector& vector, const Device& device) {
  SCOPED_TRACE(vector.name + " on " + device.name);
  const auto graph = import_tflite(vector.model);
  ASSERT_TRUE(graph) << graph.error().message();
  const auto network = generate_network(executed(*graph), device, {}, {"net"});
  ASSERT_TRUE(network) << network.error().message();
  expect_answer(vector, run_calls(*network, *graph, device, calls_of(vector.inputs, *graph)));
}

class GeneratedGraphs : public testing::TestWithParam<size_t> {};

TEST_P(GeneratedGraphs, GiveTflmsAnswersOverFiveCalls) {
  const auto vectors = tflm_graphs();
  ASSERT_GE(vectors.size(), 200U);
  for (size_t i = GetParam(); i < vectors.size(); i += kParts)
    expect_generated_answer(vectors[i], *load_device(kDevices[i / kParts % std::size(kDevices)]));
}

INSTANTIATE_TEST_SUITE_P(TflmAnswers, GeneratedGraphs, testing::Range<size_t>(0, kParts));

TEST(TflmAnswers, FormerFaults_AreMendedInGeneratedCode) {
  for (const TflmVector& vector : tflm_cases())
    if (vector.outputs) expect_generated_answer(vector, *load_device("rv32imc"));
}

}  // namespace
}  // namespace tinytune::test
