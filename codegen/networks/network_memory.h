// What a network's arena has to hold, known before a single kernel is chosen.
//
// Kernels add scratch to it. How much each layer can afford is arithmetic on the tensors alive
// around it, so that choosing kernels under a limit builds none of them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "codegen/networks/memory_plan.h"
#include "codegen/networks/network.h"
#include "models/integer_op.h"
#include "tinytune/result.h"

namespace tinytune {

struct NetworkMemory {
  struct Layer {
    int index = 0;  ///< operator in the model
    KernelOp op;
    int step = 0;             ///< in execution order
    uint32_t live_bytes = 0;  ///< of tensors during this step, as the planner rounds them
    int calls = 1;            ///< of its kernel, an inference
    /// Of a layer in strips: the whole layer's workload, in place of which `op` computes some rows.
    std::optional<Workload> strip_of = {};
    bool shares_constants = false;  ///< with another variant of the same layer, before or after it
    bool is_half = false;           ///< … of two, which two cores compute
    int core = 0;                   ///< 1: runs beside another kernel of the same step
  };
  std::vector<Layer> layers;         ///< those that kernels compute; in strips, each variant is one
  std::vector<ArenaBuffer> buffers;  ///< tensors
  uint32_t lower_bound = 0;          ///< the most bytes of tensors alive in one step

  /// Of the whole plan. `scratch` by layer.
  uint32_t arena_bytes(std::span<const uint32_t> scratch) const;
};

/// The options' strips must be possible (strip_flows()).
NetworkMemory network_memory(const IntegerNetwork& network, const NetworkOptions& options);

/// The most bytes of buffers alive in one step.
uint32_t peak_live_bytes(std::span<const ArenaBuffer> buffers);

/// Of buffers alive in a step, as the planner rounds them. What two of them share counts once.
uint32_t live_bytes(std::span<const ArenaBuffer> buffers, int step);

}  // namespace tinytune
