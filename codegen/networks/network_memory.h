// What a network's arena has to hold, known before a single kernel is chosen.
//
// Kernels add scratch to it. How much each layer can afford is arithmetic on the tensors alive
// around it, so that choosing kernels under a limit builds none of them.
#pragma once

#include <cstdint>
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
  };
  std::vector<Layer> layers;         ///< those that kernels compute
  std::vector<ArenaBuffer> buffers;  ///< tensors
  uint32_t lower_bound = 0;          ///< the most bytes of tensors alive in one step

  /// Of the whole plan. `scratch` by layer.
  uint32_t arena_bytes(std::span<const uint32_t> scratch) const;
};

NetworkMemory network_memory(const IntegerNetwork& network, const NetworkOptions& options);

/// The most bytes of buffers alive in one step.
uint32_t peak_live_bytes(std::span<const ArenaBuffer> buffers);

}  // namespace tinytune
