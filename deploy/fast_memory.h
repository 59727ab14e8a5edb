// What of a network is worth its bytes of fast memory: code and weights, by the cycles the network
// waits for them in flash.
//
// One run from flash alone says, layer by layer, how long it waited for code and how long for data;
// moving a part to fast memory saves just that, up to what parts that share a cache do to each
// other. Nothing has to be searched where everything fits, which is tried first. Else the parts
// with the most cycles a byte go first, as long as they fit.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "codegen/networks/network.h"
#include "devices/device.h"
#include "models/graph.h"
#include "tinytune/result.h"

namespace tinytune {

/// Something to place as a whole, all of it in one memory.
struct FastCandidate {
  bool code = false;  ///< or constants
  uint64_t bytes = 0;
  uint64_t saved_cycles = 0;
};

struct FastBudget {
  uint64_t code_bytes = 0, constant_bytes = 0;
  uint64_t total_bytes = 0;  ///< of both
};

/// Those to move, most saved cycles a byte first; all of them if they fit.
std::vector<bool> choose_fast(std::span<const FastCandidate> candidates, const FastBudget& budget);

/// Places the parts of `network` in the fast memories of `device`, `limit_bytes` of them at most;
/// nothing to do on a device that has none. kNotFound: no compiler on this machine to say how large
/// code is; everything stays in flash. kFailed: it does not fit flash either, or it faults.
Status place_in_fast_memory(const Graph& graph, const Device& device,
                            std::optional<uint64_t> limit_bytes, GeneratedNetwork& network);

}  // namespace tinytune
