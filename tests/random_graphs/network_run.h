// Runs a built network, reads every tensor and faults on every access that it must not make.
//
// The arena is poisoned before each run, bytes around it are off limits, and accesses must be
// aligned on cores that need it. Tensors are read layer by layer, before a later one reuses their
// memory; outputs also after one call of invoke. If the input arrives in rows, a few with each
// call, only outputs are read.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "codegen/networks/network.h"
#include "devices/device.h"
#include "models/graph.h"
#include "simulator/simulator.h"
#include "tinytune/result.h"

namespace tinytune::bench {

struct Computed {
  std::map<int, std::vector<uint8_t>>
      tensors;                                ///< by id, NHWC, right after the step that writes it
  std::vector<std::vector<uint8_t>> outputs;  ///< after invoke
  /// After a second invoke on the same inputs, if the network has state; else empty.
  std::vector<std::vector<uint8_t>> later_outputs;
};

class NetworkRun {
 public:
  /// All three outlive the run.
  static Result<NetworkRun> load(const Graph& graph, const GeneratedNetwork& network,
                                 const Device& device, std::span<const uint8_t> elf);

  /// Fails with kFailed if it faults, does not end, leaves its buffers or clobbers a register.
  Result<Computed> run(std::span<const std::vector<uint8_t>> inputs);

 private:
  NetworkRun(const Graph& graph, const GeneratedNetwork& network, Simulator simulator)
      : graph_(&graph), network_(&network), simulator_(std::move(simulator)) {}

  Result<uint32_t> address_of(const std::string& symbol) const;
  uint32_t guard_start() const;
  uint32_t guard_end() const;
  Status fill(std::span<const std::vector<uint8_t>> inputs);
  Status give(std::span<const std::vector<uint8_t>> inputs);
  Result<std::vector<std::vector<uint8_t>>> outputs() const;
  Status invoke();
  Status push_rows();
  Status call(const std::string& symbol);
  Status refuse_races(std::span<const std::vector<uint8_t>> inputs);
  Result<uint32_t> call(const std::string& symbol, std::span<const uint32_t> arguments);
  Status keep(int step, Computed& computed);
  Result<std::vector<uint8_t>> read(const PlacedTensor& placed) const;

  const Graph* graph_;
  const GeneratedNetwork* network_;
  Simulator simulator_;
  ElfInfo image_;
  uint32_t arena_ = 0;
};

}  // namespace tinytune::bench
