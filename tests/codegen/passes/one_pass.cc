#include "tests/codegen/passes/one_pass.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "codegen/passes/passes.h"
#include "tests/codegen/network_run.h"

namespace tinytune::test {

IntegerNetwork only(const Graph& graph, const std::string& pass) {
  std::vector<std::string> disabled;
  for (const GraphPass& p : graph_passes())
    if (p.name != pass) disabled.emplace_back(p.name);
  auto network = executed_network(graph, disabled);
  EXPECT_TRUE(network.has_value());
  return network ? *network : IntegerNetwork();
}

IntegerNetwork expect_same_outputs(const Graph& graph, const std::string& pass) {
  const IntegerNetwork network = only(graph, pass);
  const Device device = *load_device("rv32imc");
  const auto generated = generate_network(network, device, {}, {"net"});
  EXPECT_TRUE(generated.has_value()) << generated.error().message();
  for (const uint32_t seed : {1u, 2u, 101u}) {
    const std::vector<Bytes> inputs = seeded_inputs(graph, seed);
    const auto off = run_reference(graph, inputs);
    const auto on = run_reference(network, inputs);
    EXPECT_TRUE(off.has_value() && on.has_value());
    if (!generated || !off || !on) return network;
    const NetworkRun run = run_network(*generated, graph, device, inputs);
    for (size_t i = 0; i < graph.outputs.size(); ++i) {
      const auto output = static_cast<size_t>(graph.outputs[i]);
      EXPECT_EQ((*on)[output], (*off)[output]) << "output " << i << " of the rewritten network";
      EXPECT_EQ(run.outputs.at(i), (*off)[output]) << "output " << i << " of generated code";
    }
    for (const auto& [tensor, bytes] : run.tensors)
      EXPECT_EQ(bytes, (*off)[static_cast<size_t>(tensor)]) << "tensor " << tensor;
  }
  return network;
}

}  // namespace tinytune::test
