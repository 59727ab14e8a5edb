// Chooses the code and weights that are copied to fast memory, by the cycles that the network waits
// for them in flash.
//
// One run from flash alone measures, layer by layer, the waits for code and for data; moving a part
// to fast memory saves its waits, apart from interactions of parts that share a cache. Parts with
// the most cycles per byte come first, as long as they fit; parts that save nothing stay. No run is
// needed if the user asked for all of them and all fit.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "codegen/networks/network.h"
#include "codegen/networks/placement.h"
#include "deploy/selection/kernel_options.h"
#include "devices/device.h"
#include "models/graph.h"
#include "tinytune/memory.h"
#include "tinytune/result.h"

namespace tinytune {

/// A part that is placed as a whole in one memory.
struct FastCandidate {
  bool code = false;  ///< false: constants
  uint64_t bytes = 0;
  uint64_t saved_cycles = 0;
};

struct FastBudget {
  uint64_t code_bytes = 0;
  std::vector<uint64_t> constant_bytes;  ///< of each memory for weights, the preferred one first
  uint64_t total_bytes = 0;              ///< of all copies together
  bool everything = false;               ///< copy all that fits, even if it saves nothing
  std::optional<size_t> with_code;       ///< index of the memory shared with code (`code_bytes`)
};

/// Returns the room for copies beside the arena. By default: half of the RAM that the arena leaves
/// free, also at most half of the free bytes of the memory that it shares with weights, and never
/// the bytes that a small application needs (device_memory.h). A limit on all RAM replaces the
/// default; the arena and `stack_bytes` count towards it. If several networks use the arena in
/// turn, each gets an equal part.
FastBudget fast_budget(const Device& device, uint64_t arena_bytes, const MemoryLimits& limits,
                       uint64_t stack_bytes = 0, int networks = 1);

/// Returns the new memory of each part: those with the most saved cycles per byte first, each into
/// the preferred memory with room; or another order or memory if that saves more (large parts may
/// not fit after small ones). Parts that save nothing stay unless `everything` is set.
std::vector<FastHome> choose_fast(std::span<const FastCandidate> candidates,
                                  const FastBudget& budget);

/// The result of a placement, and the waits for what stays in flash.
struct FastPlacement {
  uint64_t left_out_cycles = 0;  ///< cycles that the parts without room would save
  uint64_t code_bytes = 0;       ///< bytes of copied code
  bool overflows = false;        ///< some weights are in a memory after the preferred one
  FlashWaits waits;              ///< empty if no run was needed
};

/// Places the parts of `network` in the fast memories of `device`, within `budget`, which parts
/// that need fast memory may exceed; does nothing on a device without fast memory. kNotFound: no
/// compiler on this machine to determine code sizes; everything stays in flash. kFailed: the
/// network does not fit flash either, or faults.
Result<FastPlacement> place_in_fast_memory(const Graph& graph, const Device& device,
                                           const FastBudget& budget, GeneratedNetwork& network);

/// Returns whether the weights exceed the room for their copies. False if the choice of kernels has
/// a limit on copies, because it then adds their waits itself.
bool constants_stay_in_flash(const NetworkMemory& memory, const Device& device,
                             const KernelLimits& limits);

}  // namespace tinytune
