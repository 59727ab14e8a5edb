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
  std::map<int, Bytes> tensors;                ///< by id, right after the step that writes it
  std::vector<Bytes> outputs;                  ///< after one call of invoke
  uint64_t instructions = 0;                   ///< of that call
  std::map<int, uint64_t> layer_instructions;  ///< by operator index
};

/// Returns the graph after every pass.
IntegerNetwork executed(const Graph& graph);

/// Builds, loads and runs the network; failures become test failures and an empty result.
NetworkRun run_network(const GeneratedNetwork& network, const Graph& graph, const Device& device,
                       const std::vector<Bytes>& inputs);

/// Returns the outputs of several calls after one reset, in order; `calls` has all inputs of each.
Bytes run_calls(const GeneratedNetwork& network, const Graph& graph, const Device& device,
                const std::vector<std::vector<Bytes>>& calls);

/// Generates with default schedules, runs, and compares every tensor with the reference.
/// Returns the run for further checks.
NetworkRun expect_exact(const Graph& graph, const Device& device, const std::vector<Bytes>& inputs,
                        const NetworkOptions& options = {"net"});

/// Draws inputs like golden/README.md's generator, from one stream: uniform for seeds below 100, a
/// random walk from 100 on.
std::vector<Bytes> seeded_inputs(const Graph& graph, uint32_t seed);

}  // namespace tinytune::test
