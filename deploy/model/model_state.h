// What a public Model holds: the imported graph, what is executed of it, and its tasks, made once.
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
  /// What was compiled of it: a command makes its network many times.
  std::shared_ptr<BuildCache> builds = std::make_shared<BuildCache>();
  bool stands_alone = false;  ///< a layer without a model: the network is its own reference

  /// What TFLite's reference makes of these inputs, by tensor id, after a reset.
  Result<std::vector<std::vector<uint8_t>>> reference(
      std::span<const std::vector<uint8_t>> inputs) const {
    NetworkState state = initial_state(graph);
    return reference(inputs, state);
  }
  /// The same from `state` on, which becomes what it leaves.
  Result<std::vector<std::vector<uint8_t>>> reference(std::span<const std::vector<uint8_t>> inputs,
                                                      NetworkState& state) const {
    if (stands_alone) return run_reference(network, inputs, state);
    TT_TRY_ASSIGN(const IntegerNetwork model, integer_network(graph));
    return run_reference(model, inputs, state);
  }
};

/// What there is to say of a model, from its parts.
ModelInfo describe_model(const Graph& graph, const IntegerNetwork& executed,
                         const std::vector<Task>& tasks);

}  // namespace tinytune
