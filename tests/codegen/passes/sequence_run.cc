#include "tests/codegen/passes/sequence_run.h"

#include <gtest/gtest.h>

#include "codegen/passes/passes.h"
#include "tests/codegen/network_run.h"

namespace tinytune::test {
namespace {

constexpr int kCalls = 6;

}  // namespace

IntegerNetwork expect_same_sequence(const Graph& graph, const std::vector<std::string>& disabled) {
  auto network = executed_network(graph, disabled);
  EXPECT_TRUE(network) << network.error().message();
  const auto plain = integer_network(graph);
  EXPECT_TRUE(plain) << plain.error().message();
  if (!network || !plain) return {};
  const Device device = *load_device("rv32imc");
  const auto generated = generate_network(*network, device, {}, {"net"});
  EXPECT_TRUE(generated) << generated.error().message();
  if (!generated) return {};
  NetworkState state = initial_state(graph), executed_state = initial_state(network->graph);
  Bytes expected;
  std::vector<std::vector<Bytes>> calls;
  for (uint32_t call = 1; call <= kCalls; ++call) {
    calls.push_back(seeded_inputs(graph, call));
    const auto values = run_reference(*plain, calls.back(), state);
    const auto executed = run_reference(*network, calls.back(), executed_state);
    EXPECT_TRUE(values && executed);
    for (const int output : graph.outputs) {
      const Bytes& value = values->at(static_cast<size_t>(output));
      EXPECT_EQ(executed->at(static_cast<size_t>(output)), value) << "call " << call;
      expected.insert(expected.end(), value.begin(), value.end());
    }
  }
  EXPECT_EQ(run_calls(*generated, graph, device, calls), expected);
  return std::move(*network);
}

}  // namespace tinytune::test
