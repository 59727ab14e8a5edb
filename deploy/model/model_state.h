// The state of a public Model, made once: the imported graph, the executed network, and its tasks.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "codegen/kernels/build_cache.h"
#include "models/integer_network.h"
#include "models/tasks.h"
#include "tinytune/model.h"

namespace tinytune {

struct Model::State {
  std::string path;
  std::string sha256;      ///< of the file
  Graph graph;             ///< as imported: what the reference runs
  IntegerNetwork network;  ///< as executed: rewritten by graph passes
  std::vector<Task> tasks;
  ModelInfo info;
  /// Caches compilations, as a command generates its network many times.
  std::shared_ptr<BuildCache> builds = std::make_shared<BuildCache>();
  bool stands_alone = false;  ///< a layer without a model: the network is its own reference

  /// Returns all tensors that the reference computes from these inputs, by id, after a reset.
  Result<std::vector<std::vector<uint8_t>>> reference(
      std::span<const std::vector<uint8_t>> inputs) const {
    NetworkState state = initial_state(graph);
    return reference(inputs, state);
  }
  /// Does the same starting from `state`, and updates it.
  Result<std::vector<std::vector<uint8_t>>> reference(std::span<const std::vector<uint8_t>> inputs,
                                                      NetworkState& state) const {
    if (stands_alone) return run_reference(network, inputs, state);
    TT_TRY_ASSIGN(const IntegerNetwork model, integer_network(graph));
    return run_reference(model, inputs, state);
  }
};

/// Returns the public description of a model, from its parts.
ModelInfo describe_model(const Graph& graph, const IntegerNetwork& executed,
                         const std::vector<Task>& tasks);

}  // namespace tinytune
