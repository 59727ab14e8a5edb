// The stages between a graph and its printed library, in order: sharing of memory between tensors
// (storage.h), choice of kernels (which adds their scratch memory), placement in the arena, and
// printing of the layers' functions. Each depends only on results of earlier stages; network.cc
// calls them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "codegen/networks/arriving_layers.h"
#include "codegen/networks/kernel_set.h"
#include "codegen/networks/layout.h"
#include "codegen/networks/memory_plan.h"
#include "codegen/networks/network.h"
#include "codegen/networks/network_parts.h"
#include "codegen/networks/split_layers.h"
#include "codegen/networks/storage.h"
#include "codegen/strips/strip_flow.h"
#include "models/integer_network.h"
#include "tinytune/result.h"

namespace tinytune {

/// The input of all stages. A step is an index into the operators of `laid_out`.
struct Generation {
  const IntegerNetwork& network;
  const LaidOutGraph& laid_out;  ///< tensors of its transforms come after the model's
  const std::vector<StripFlow>& flows;
  const std::vector<std::optional<SplitLayer>>& splits;  ///< by step
  const Device& device;
  const ScheduleSource& schedules;
  const NetworkOptions& options;

  const Graph& graph() const { return laid_out.graph; }
  const Operator& op(size_t step) const { return graph().operators[step]; }
  std::string symbol_of(size_t step) const;
};

/// A call, and the buffer of its scratch memory.
struct ScratchedCall {
  std::optional<KernelCall> call = {};
  std::optional<size_t> scratch = {};
};

struct LayerKernels {
  std::vector<GeneratedLayer> layers;                               ///< by step, without symbols
  std::vector<ScratchedCall> calls;                                 ///< by step
  std::vector<std::array<ScratchedCall, 2>> halves;                 ///< by step, of split layers
  std::vector<std::vector<std::optional<KernelCall>>> strip_calls;  ///< by flow and variant
  std::vector<KernelSet::Kernel> kernels;
  std::vector<std::string> warnings;
};

/// Adds packed constants to `constants`, and buffers of scratch memory to `storage`.
/// kUnsupported: an operator that no template and no emitter takes; errors of KernelSet::add().
Result<LayerKernels> choose_kernels(const Generation& generation, Storage& storage,
                                    ArrivingLayers& arriving, ConstantPool& constants);

/// Storage whose buffers have their places in the arena.
struct PlacedStorage {
  const Storage& storage;
  MemoryPlan plan;

  /// Returns the offset of a tensor that is in the arena.
  uint32_t offset_of(int tensor) const;
  std::optional<ArenaPlace> place_of(const std::optional<size_t>& buffer) const;
  /// By tensor id.
  std::vector<std::optional<ArenaPlace>> tensors(const Graph& graph) const;
};

/// Adds the functions, each once, and their calls to `parts`, and names them in `kernels.layers`.
void print_layers(const Generation& generation, const PlacedStorage& placed,
                  const ArrivingLayers& arriving, LayerKernels& kernels, NetworkParts& parts);

}  // namespace tinytune
