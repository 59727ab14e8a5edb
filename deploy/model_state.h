// What a public Model holds: the imported graph, what is executed of it, and its tasks, made once.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

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
  bool stands_alone = false;  ///< a layer without a model: the network is its own reference

  /// What TFLite's reference makes of these inputs, by tensor id.
  Result<std::vector<std::vector<uint8_t>>> reference(
      std::span<const std::vector<uint8_t>> inputs) const {
    return stands_alone ? run_reference(network, inputs) : run_reference(graph, inputs);
  }
};

/// What there is to say of a model, from its parts.
ModelInfo describe_model(const Graph& graph, const IntegerNetwork& executed,
                         const std::vector<Task>& tasks);

}  // namespace tinytune
