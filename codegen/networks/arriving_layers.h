// Layers whose constants are fetched from flash while earlier code computes.
//
// All constants of one kernel call form one block of words. It is fetched into the arena while the
// previous block is computed, so a layer of several blocks has two buffers, and its first transfer
// starts in an earlier step. Blocks have equal numbers of output channels; each is a workload of
// its own, and all share one kernel. Several blocks require an output of one pixel, whose channels
// are contiguous.
//
// A layer that two cores share arrives in one block with the constants of both halves. The first
// core waits for it and starts the next transfer before it calls the other, so halves only read.
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

/// Whether the output channels can be cut into `blocks` equal blocks of whole words.
bool has_blocks(const Workload& workload, int blocks);

/// Returns the kernel of a layer whose weights may arrive. Null if there is none, or if a run
/// transposition follows it, which reads constants that flash may have to serve.
const KernelOp* arriving_kernel(const IntegerOp& form);

/// Returns the `at`-th of `blocks` blocks of channels. Keeps the whole layer's WeightFacts.
KernelOp block_of(const KernelOp& op, int blocks, int at);

class ArrivingLayers {
 public:
  /// `options` outlives it.
  ArrivingLayers(const NetworkOptions& options, size_t steps);

  bool empty() const { return layers_.empty(); }
  bool arrives(size_t step) const { return find(step) != nullptr; }

  /// Builds the kernel of an arriving layer, adds its blocks to `constants` and fills in `facts`.
  /// kUnsupported: blocks that are impossible or need different kernels, or a kernel that would
  /// need flash while it is locked.
  Result<KernelCall> choose(size_t step, const KernelOp& op, const std::string& symbol,
                            KernelSet& kernels, ConstantPool& constants, GeneratedLayer& facts);

  /// The same for a layer that two cores share, which arrives in one block.
  Result<std::array<KernelCall, 2>> choose(size_t step, const SplitLayer& halves,
                                           const std::string& symbol, KernelSet& kernels,
                                           ConstantPool& constants, GeneratedLayer& facts);

  /// Adds the buffers in which blocks arrive, and the words that track the transfer.
  void add_buffers(std::vector<ArenaBuffer>& buffers);
  /// Takes the offsets of these buffers from the plan.
  void settle(const MemoryPlan& plan);

  /// The function of an arriving layer.
  LayerFunction print(size_t step, const LayerSite& site, const ArenaPlace& input,
                      const ArenaPlace& output, const std::optional<ArenaPlace>& scratch) const;
  /// The function of one half of a shared layer that arrives.
  LayerFunction print_half(size_t step, size_t core, const LayerSite& site, const ArenaPlace& input,
                           const ArenaPlace& output,
                           const std::optional<ArenaPlace>& scratch) const;
  /// The function called before both halves of a shared layer: waits for the layer's weights and
  /// starts the transfer that is due in its step. Nothing if neither is needed.
  std::optional<LayerFunction> print_before_halves(size_t step, const LayerSite& site) const;
  /// Makes the function of a layer that does not arrive first start the transfer due in its step.
  void begin_in(size_t step, LayerFunction& function) const;

  /// Fills in what printers need, after settle().
  void describe(NetworkParts& parts) const;

 private:
  void print_start(size_t step, FunctionBody& body) const;
  struct Constant {
    CType type;
    uint32_t offset = 0, bytes = 0;  ///< in a block
    /// Array that is read from flash instead, because all blocks share it, so that a cache holds
    /// it. Empty: the constant arrives, as all do if flash is locked.
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
    bool in_place = false;      ///< read from the cache, as the kernel reads each weight once
    size_t here = 0, next = 0;  ///< buffers: of the first block, and of the second one
    uint32_t here_at = 0, next_at = 0;
  };

  Layer* find(size_t step);
  const Layer* find(size_t step) const;
  /// The later layer whose first transfer starts in this step.
  const Layer* starting_in(size_t step) const;
  std::string fetch(FunctionBody& body, const Layer& layer, const std::string& to,
                    const std::string& block) const;
  /// The C expression of the address of a layer's first block; NULL: it is read from the cache.
  static std::string first_place(const Layer& layer);
  /// Prints the start of a layer's first transfer if it is due in the layer's own step.
  void print_own_start(const Layer& layer, FunctionBody& body) const;
  /// C expressions of a block's number, its address and the next one's; a single block has only
  /// an address.
  struct Block {
    std::string number, here, next;
  };
  /// Prints the wait for a block and the start of the next transfer. Returns the address of the
  /// block's constants.
  std::string print_wait(size_t step, const Block& block, FunctionBody& body) const;
  struct Operands {
    ArenaPlace input, output;
    std::optional<ArenaPlace> scratch;
  };
  void print_call(const Caller& caller, const std::string& base, const Operands& operands,
                  FunctionBody& body) const;

  const NetworkOptions& options_;
  std::vector<Layer> layers_;     ///< sorted by step
  std::set<std::string> arrays_;  ///< symbols of arriving arrays, which stay in flash
  size_t steps_;
  bool fills_cache_ = false, locks_flash_ = false;
  size_t words_buffer_ = 0;
  uint32_t words_ = 0;
};

}  // namespace tinytune
