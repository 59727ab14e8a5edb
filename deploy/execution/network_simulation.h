// A generated network in the simulator: one invocation counted whole and by layer, and, apart from
// it, one layer at a time to see every tensor before a later one takes its place in the arena.
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

/// build_network() with errors for people: one line, and kFailed whatever stopped it, because the
/// model was fine. kNotFound: no compiler on this machine.
Result<BuiltNetwork> build_library(const GeneratedNetwork& network, const Device& device);

/// What is known of the operators before anything is counted, in the model's order.
std::vector<LayerCost> layers_of(const GeneratedNetwork& network);

/// Who lives where in the arena, when.
ArenaTimeline timeline_of(const GeneratedNetwork& network);

class NetworkSimulation {
 public:
  /// All three outlive the simulation. Builds and loads the network. kUnsupported: the device has
  /// no simulator. kFailed: it does not compile, or does not fit the device.
  static Result<NetworkSimulation> load(const Graph& graph, const GeneratedNetwork& network,
                                        const Device& device);
  /// Of a network that was built already, for this device or one that differs in costs alone.
  static Result<NetworkSimulation> load(const Graph& graph, const GeneratedNetwork& network,
                                        const Device& device, const BuiltNetwork& built);

  /// Fills the inputs, calls `<name>_invoke` once, which goes on from earlier calls' state, and
  /// reads the outputs. Where frames arrive, the first call brings all of the input, later ones its
  /// last frames, which are new. `exact` and the dump are left alone. kFailed: it faults, runs
  /// away, returns an error or clobbers a saved register.
  Result<RunReport> invoke(std::span<const std::vector<uint8_t>> inputs);

  /// Invokes it once; what each of these functions of the library took, callees included.
  Result<std::vector<Counts>> count(std::span<const std::vector<uint8_t>> inputs,
                                    std::span<const std::string> functions);
  const ElfInfo& elf() const { return elf_; }
  /// Stack and cycles are known after invoke().
  const Footprint& footprint() const { return footprint_; }

  /// Makes the network forget earlier inferences; load() has done it.
  Status reset();
  /// After a reset, calls the layers one by one; every tensor that has a place in the arena, by id.
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
  /// By function; empty where the device has one place only.
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
  bool is_window_full_ = false;  ///< where frames arrive
};

}  // namespace tinytune
