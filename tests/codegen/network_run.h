// Runs a generated network in the simulator, as firmware and layer by layer, for the tests.
#pragma once

#include <map>
#include <vector>

#include "codegen/networks/network.h"
#include "devices/device.h"
#include "simulator/simulator.h"

namespace tinytune::test {

using Bytes = std::vector<uint8_t>;

struct NetworkRun {
  std::map<int, Bytes> tensors;                ///< as each was right after the step that writes it
  std::vector<Bytes> outputs;                  ///< after one call of invoke
  uint64_t instructions = 0;                   ///< of that call
  std::map<int, uint64_t> layer_instructions;  ///< by operator index
};

/// Builds, loads, runs; failures become test failures and an empty result.
/// The graph after every pass.
IntegerNetwork executed(const Graph& graph);

NetworkRun run_network(const GeneratedNetwork& network, const Graph& graph, const Device& device,
                       const std::vector<Bytes>& inputs);

/// Outputs of several calls after one reset, one after the other; `calls` has all inputs of each.
Bytes run_calls(const GeneratedNetwork& network, const Graph& graph, const Device& device,
                const std::vector<std::vector<Bytes>>& calls);

/// Generates with default schedules, runs, and compares every tensor with the reference.
/// Returns the run, for what a test wants to know beyond that.
NetworkRun expect_exact(const Graph& graph, const Device& device, const std::vector<Bytes>& inputs,
                        const NetworkOptions& options = {"net"});

/// golden/README.md's generator: uniform below 100, a random walk from 100 on, one stream.
std::vector<Bytes> seeded_inputs(const Graph& graph, uint32_t seed);

}  // namespace tinytune::test
