// Runs a generated network in the simulator: one invocation counted as a whole and by layer, and
// separately one layer at a time, to read every tensor before another overwrites it in the arena.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "codegen/networks/network.h"
#include "devices/device.h"
#include "models/graph.h"
#include "simulator/simulator.h"
#include "tinytune/deploy.h"
#include "tinytune/result.h"

namespace tinytune {

/// Calls build_network() and shortens its errors to one line, with kFailed for any cause, because
/// the model is valid. kNotFound: no compiler on this machine.
Result<BuiltNetwork> build_library(const GeneratedNetwork& network, const Device& device);

/// Returns the operators in the model's order, with the facts known without a run.
std::vector<LayerCost> layers_of(const GeneratedNetwork& network);

/// Returns the place and lifetime of each tensor in the arena.
ArenaTimeline timeline_of(const GeneratedNetwork& network);

class NetworkSimulation {
 public:
  /// Builds and loads the network. The arguments must outlive the simulation. kUnsupported: the
  /// device has no simulator. kFailed: it does not compile, or does not fit the device.
  static Result<NetworkSimulation> load(const Graph& graph, const GeneratedNetwork& network,
                                        const Device& device);
  /// Loads a network that was built for this device or for one that differs only in costs.
  static Result<NetworkSimulation> load(const Graph& graph, const GeneratedNetwork& network,
                                        const Device& device, const BuiltNetwork& built);

  /// Fills the inputs, calls `<name>_invoke` once, which continues from earlier calls' state, and
  /// reads the outputs. If frames arrive, the first call passes the whole input, later ones only
  /// its last frames, which are new. Does not set `exact` and the dump. kFailed: it faults, does
  /// not return, returns an error or clobbers a saved register.
  Result<RunReport> invoke(std::span<const std::vector<uint8_t>> inputs);

  /// Invokes it once and returns the counts of these functions of the library, including callees.
  Result<std::vector<Counts>> count(std::span<const std::vector<uint8_t>> inputs,
                                    std::span<const std::string> functions);
  const ElfInfo& elf() const { return elf_; }
  /// Stack and cycles are set by invoke().
  const Footprint& footprint() const { return footprint_; }

  /// Resets the network's state of earlier inferences, as load() does.
  Status reset();
  /// Resets the state, calls the layers one by one, and returns every tensor in the arena, by id.
  Result<std::vector<TensorDump>> dump(std::span<const std::vector<uint8_t>> inputs);

 private:
  NetworkSimulation(const Graph& graph, const GeneratedNetwork& network, const Device& device,
                    Simulator simulator)
      : graph_(&graph), network_(&network), device_(&device), simulator_(std::move(simulator)) {}

  Result<uint32_t> address_of(const std::string& symbol) const;
  Result<uint32_t> place_of(int tensor) const;
  const std::string& memory_at(uint32_t address) const;
  struct Homes {
    std::string code, weights;  ///< names of memories
  };
  /// Returns the homes by function; empty if the device has only one place.
  std::map<std::string, Homes> homes() const;
  void describe_layers(const CallReport& call_report, RunReport& report) const;
  Status fill(std::span<const std::vector<uint8_t>> inputs);
  uint64_t cycles_of(const JoinedVisit& joined) const;
  uint64_t overlapped_cycles(const CallReport& call_report) const;
  Result<CallReport> call(const std::string& symbol, std::vector<uint32_t> sections,
                          std::vector<CorePair> pairs = {});
  Result<TensorDump> read(int tensor);

  const Graph* graph_;
  const GeneratedNetwork* network_;
  const Device* device_;
  Simulator simulator_;
  ElfInfo elf_;
  Footprint footprint_;
  uint32_t arena_ = 0;
  bool is_window_full_ = false;  ///< if frames arrive: whether the first window was passed
};

}  // namespace tinytune
