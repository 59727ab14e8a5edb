// What of a network is worth its bytes of fast memory: code and weights, by the cycles the network
// waits for them in flash.
//
// One run from flash alone says, layer by layer, how long it waited for code and how long for data;
// moving a part to fast memory saves just that, up to what parts that share a cache do to each
// other. The parts with the most cycles a byte go first, as long as they fit; what saves nothing
// stays. Nothing is run where all that there is was asked for and fits.
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

/// Something to place as a whole, all of it in one memory.
struct FastCandidate {
  bool code = false;  ///< or constants
  uint64_t bytes = 0;
  uint64_t saved_cycles = 0;
};

struct FastBudget {
  uint64_t code_bytes = 0;
  std::vector<uint64_t> constant_bytes;  ///< of each memory for weights, the preferred in front
  uint64_t total_bytes = 0;              ///< of all
  bool everything = false;               ///< all of it where it fits, also what saves nothing
  std::optional<size_t> with_code;       ///< the one of them that holds `code_bytes` in all
};

/// What copies may take beside the arena. Where nothing is said: half of the RAM that the arena
/// leaves free, half of it also in the memory that it shares with weights, and never what a small
/// application needs (device_memory.h). A limit on all RAM stands for that, beside `stack_bytes`.
/// Where several networks use the arena in turn, each has an equal part.
FastBudget fast_budget(const Device& device, uint64_t arena_bytes, const MemoryLimits& limits,
                       uint64_t stack_bytes = 0, int networks = 1);

/// Where each moves to: those with the most saved cycles a byte first, each into the memory that is
/// preferred; or another order or room (large parts find none behind small ones) that saves more.
/// What saves nothing stays, but where everything was asked for.
std::vector<FastHome> choose_fast(std::span<const FastCandidate> candidates,
                                  const FastBudget& budget);

/// What a placement left in flash, and what of it would be worth more memory.
struct FastPlacement {
  uint64_t left_out_cycles = 0;  ///< that parts would save which found no room
  uint64_t code_bytes = 0;       ///< copied
  bool overflows = false;        ///< weights that did not fit the preferred memory are in the next
  FlashWaits waits;              ///< where a run was needed
};

/// Places the parts of `network` in the fast memories of `device`, within `budget`, which those
/// that need fast memory may exceed; nothing to do on a device that has none. kNotFound: no
/// compiler on this machine to say how large code is; everything stays in flash. kFailed: it does
/// not fit flash either, or it faults.
Result<FastPlacement> place_in_fast_memory(const Graph& graph, const Device& device,
                                           const FastBudget& budget, GeneratedNetwork& network);

/// Whether weights are more than what copies of them may take. Where the choice has a limit
/// on copies, their waits are counted apart.
bool constants_stay_in_flash(const NetworkMemory& memory, const Device& device,
                             const KernelLimits& limits);

}  // namespace tinytune
