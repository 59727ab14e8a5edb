// Layers whose constants come out of flash while earlier code computes.
//
// All constants of one kernel call are one block of words. It is fetched into the arena while the
// block before it is computed, so a layer of several blocks has room for two, and the first one
// sets out in an earlier step. Blocks are equal numbers of output channels, each a workload of its
// own with one kernel for all; that takes outputs of one pixel, whose channels lie side by side.
//
// A layer that two cores share arrives in one block: the constants of both halves. The first core
// waits for the block and starts the next transfer before it calls the other core, so that halves
// only read.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "codegen/networks/kernel_set.h"
#include "codegen/networks/layer_function.h"
#include "codegen/networks/layer_printer.h"
#include "codegen/networks/memory_plan.h"
#include "codegen/networks/network.h"
#include "codegen/networks/network_parts.h"
#include "codegen/networks/split_layers.h"
#include "codegen/operators/constant_pool.h"
#include "models/integer_forms.h"

namespace tinytune {

/// Whether its output channels can be cut into so many blocks: each with outputs of whole words.
bool has_blocks(const Workload& workload, int blocks);

/// Returns the kernel of a layer whose weights may arrive. Nothing where there is none, or where
/// what follows the kernel reads constants, which flash may have to serve then.
const KernelOp* arriving_kernel(const IntegerOp& form);

/// The `at`-th of `blocks`, in the order of channels; the layer's facts hold for it too.
KernelOp block_of(const KernelOp& op, int blocks, int at);

class ArrivingLayers {
 public:
  /// `options` outlives it.
  ArrivingLayers(const NetworkOptions& options, size_t steps);

  bool empty() const { return layers_.empty(); }
  bool arrives(size_t step) const { return find(step) != nullptr; }

  /// Builds the kernel of an arriving layer, adds its blocks to `constants` and tells what `facts`
  /// has of it. kUnsupported: blocks that it cannot have, or that need different kernels, or one
  /// that flash would have to serve while the unit has it.
  Result<KernelCall> choose(size_t step, const KernelOp& op, const std::string& symbol,
                            KernelSet& kernels, ConstantPool& constants, GeneratedLayer& facts);

  /// The same of a layer that two cores share, which comes in one block.
  Result<std::array<KernelCall, 2>> choose(size_t step, const SplitLayer& halves,
                                           const std::string& symbol, KernelSet& kernels,
                                           ConstantPool& constants, GeneratedLayer& facts);

  /// Where blocks arrive, and the words that say what is under way.
  void add_buffers(std::vector<ArenaBuffer>& buffers);
  /// Where those are. After planning.
  void settle(const MemoryPlan& plan);

  /// The function of an arriving layer.
  LayerFunction print(size_t step, const LayerSite& site, const ArenaPlace& input,
                      const ArenaPlace& output, const std::optional<ArenaPlace>& scratch) const;
  /// The function of one half of a shared layer that arrives.
  LayerFunction print_half(size_t step, size_t core, const LayerSite& site, const ArenaPlace& input,
                           const ArenaPlace& output,
                           const std::optional<ArenaPlace>& scratch) const;
  /// The function called before both halves of a shared layer: waits for the layer's weights and
  /// starts the transfer that sets out in its step. None where neither is needed.
  std::optional<LayerFunction> print_before_halves(size_t step, const LayerSite& site) const;
  /// Of another layer: what sets out in its step does so first.
  void begin_in(size_t step, LayerFunction& function) const;

  /// What printers have to know, after settle().
  void describe(NetworkParts& parts) const;

 private:
  void print_start(size_t step, FunctionBody& body) const;
  struct Constant {
    CType type;
    uint32_t offset = 0, bytes = 0;  ///< in a block
    /// An array that stays where it is, because all blocks have the same: it is read again and
    /// again, so that a cache has it. None where the unit has flash for itself.
    std::string array = {};
  };
  /// One call of a kernel: the whole layer's, or a half's.
  struct Caller {
    KernelCall call = {};
    std::vector<Constant> constants = {};
  };
  struct Layer {
    ArrivingLayer plan;
    std::vector<Caller> callers = {};
    std::string array = {};
    uint32_t block_bytes = 0;
    bool in_place = false;      ///< read from the cache: a kernel needs each weight once
    size_t here = 0, next = 0;  ///< buffers; the second of several blocks
    uint32_t here_at = 0, next_at = 0;
  };

  Layer* find(size_t step);
  const Layer* find(size_t step) const;
  /// The layer whose first block sets out in this step.
  const Layer* starting_in(size_t step) const;
  std::string fetch(FunctionBody& body, const Layer& layer, const std::string& to,
                    const std::string& block) const;
  /// The C expression of where a layer's first block arrives; NULL: it is read from the cache.
  static std::string first_place(const Layer& layer);
  /// Starts a layer's first transfer where that sets out in the layer's own step.
  void print_own_start(const Layer& layer, FunctionBody& body) const;
  /// As C expressions: its number, and where it and the next one are; empty: it is the only one.
  struct Block {
    std::string number, here, next;
  };
  /// Waits for a block of the layer and starts the next transfer. Returns where its constants are.
  std::string print_wait(size_t step, const Block& block, FunctionBody& body) const;
  struct Operands {
    ArenaPlace input, output;
    std::optional<ArenaPlace> scratch;
  };
  void print_call(const Caller& caller, const std::string& base, const Operands& operands,
                  FunctionBody& body) const;

  const NetworkOptions& options_;
  std::vector<Layer> layers_;     ///< by step, which rises
  std::set<std::string> arrays_;  ///< that only the unit reads, from flash
  size_t steps_;
  bool fills_cache_ = false, locks_flash_ = false;
  size_t words_buffer_ = 0;
  uint32_t words_ = 0;
};

}  // namespace tinytune
