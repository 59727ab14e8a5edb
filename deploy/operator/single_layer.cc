#include "deploy/operator/single_layer.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "codegen/networks/network.h"
#include "deploy/execution/network_simulation.h"
#include "deploy/selection/fast_memory.h"

namespace tinytune {
namespace {

// Runs the layer once, on random bytes: cycles depend on data where a core clamps by branches.
Result<RunReport> invoke(const IntegerNetwork& layer, NetworkSimulation& simulation) {
  Rng rng(1);
  std::vector<uint8_t> input(
      static_cast<size_t>(layer.graph.tensor(layer.graph.inputs[0]).bytes()));
  for (uint8_t& byte : input) byte = static_cast<uint8_t>(rng.next());
  return simulation.invoke({&input, 1});
}

/// Returns the cost of the kernel in flash; `network` must not be placed in fast memory yet.
Result<KernelCost::InFlash> from_flash(const IntegerNetwork& layer, const Device& device,
                                       const GeneratedNetwork& network) {
  if (device.caches.empty()) return KernelCost::InFlash();
  TT_TRY_ASSIGN(NetworkSimulation simulation,
                NetworkSimulation::load(layer.graph, network, device));
  TT_TRY_ASSIGN(const RunReport report, invoke(layer, simulation));
  const LayerCost& cost = report.layers.at(0);
  return KernelCost::InFlash{.cycles = cost.cycles,
                             .fetch_wait_cycles = cost.fetch_wait_cycles,
                             .code_bytes = report.footprint.flash_bytes - network.constant_bytes,
                             .read_wait_cycles = cost.read_wait_cycles,
                             .constant_bytes = network.constant_bytes};
}

}  // namespace

IntegerNetwork single_layer(const IntegerNetwork& network, int index) {
  IntegerNetwork single = network;
  single.absorbed.clear();
  single.altered.assign(network.altered.size(), false);
  single.graph.operators.clear();
  single.ops.clear();
  for (size_t step = 0; step < network.ops.size(); ++step) {
    const Operator& op = network.graph.operators[step];
    if (op.index != index) continue;
    single.graph.operators = {op};
    single.ops = {network.ops[step]};
    single.graph.inputs = {op.inputs[0]};
    single.graph.outputs = {op.outputs[0]};
  }
  return single;
}

Result<KernelCost> cost_of(const IntegerNetwork& layer, const Device& device,
                           const Schedule& schedule, std::string role) {
  NetworkOptions options;
  options.name = "layer";
  const auto source = [&](const Workload&) { return GivenSchedule{schedule}; };
  TT_TRY_ASSIGN(GeneratedNetwork network, generate_network(layer, device, source, options));
  TT_TRY_ASSIGN(const KernelCost::InFlash in_flash, from_flash(layer, device, network));
  // Places the kernel as for measurements: in fast memory, if it fits.
  const MemoryLimits all{.fast_ram_bytes = kAllFastRam};
  const FastBudget budget = fast_budget(device, network.arena_bytes, all);
  TT_TRY(place_in_fast_memory(layer.graph, device, budget, network));
  TT_TRY_ASSIGN(NetworkSimulation simulation,
                NetworkSimulation::load(layer.graph, network, device));
  TT_TRY_ASSIGN(const RunReport report, invoke(layer, simulation));
  const LayerCost& cost = report.layers.at(0);
  return KernelCost{.role = std::move(role),
                    .schedule = to_text(schedule),
                    .instructions = cost.instructions,
                    .cycles = cost.cycles,
                    .multiplies = cost.multiplies,
                    .loads = cost.loads,
                    .stores = cost.stores,
                    .branches_taken = cost.branches_taken,
                    .in_flash = in_flash};
}

}  // namespace tinytune
