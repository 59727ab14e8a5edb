// The contents of a network's arena, known before any kernel is chosen.
//
// Kernels add scratch to it. How much each layer can afford follows from the tensors alive around
// it, so that choosing kernels under a limit requires building none of them.
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
    int calls = 1;            ///< kernel calls per inference
    /// The whole layer's workload, if `op` computes only a part of it: a strip or a half.
    std::optional<Workload> strip_of = {};
    bool shares_constants = false;  ///< its constants are counted with another part of the layer
    bool is_half = false;           ///< one of two halves, which two cores compute
    int core = 0;                   ///< 1: runs beside another kernel of the same step
  };
  std::vector<Layer> layers;         ///< layers with kernels; each variant of a strip is one
  std::vector<ArenaBuffer> buffers;  ///< tensors
  uint32_t lower_bound = 0;          ///< the most bytes of tensors alive in one step

  /// Returns the bytes of a plan with these scratch sizes, by layer.
  uint32_t arena_bytes(std::span<const uint32_t> scratch) const;
};

/// The options' strips and splits must be possible (strip_flows(), split_layers()).
NetworkMemory network_memory(const IntegerNetwork& network, const NetworkOptions& options);

/// Returns the most bytes of buffers alive in one step.
uint32_t peak_live_bytes(std::span<const ArenaBuffer> buffers);

/// Returns the bytes of buffers alive in a step, rounded like the planner's. Bytes that two of them
/// share count once.
uint32_t live_bytes(std::span<const ArenaBuffer> buffers, int step);

}  // namespace tinytune
