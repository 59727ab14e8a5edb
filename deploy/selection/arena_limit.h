// How large a network's arena may become, and in whose words it is refused.
//
// Without a limit, the arena exceeds the lower bound by at most a quarter or 4 KiB, and never the
// device's memory. Kernels take as much of it as saves enough cycles (fitting.cc). Where the
// leanest kernels need more, the arena is as large as they need (ADR 13).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "codegen/kernels/known_spaces.h"
#include "codegen/networks/network.h"
#include "codegen/networks/network_memory.h"
#include "devices/device.h"
#include "models/integer_network.h"
#include "tinytune/memory.h"
#include "tinytune/result.h"

namespace tinytune {

/// kInvalidInput: a limit of 0 bytes, which nothing keeps. fast_ram_bytes may be 0.
Status require_positive(const MemoryLimits& limits);

/// What the options say of the arena.
struct ArenaAllowance {
  std::optional<uint64_t> bytes;
  std::string says;  ///< "--ram allows 20000, 160 of them for the stack"
};

/// The smaller of --arena and what --ram leaves of its bytes beside `stack_bytes`.
ArenaAllowance arena_allowance(const MemoryLimits& limits, uint64_t stack_bytes = 0);

/// The most that an arena takes which nobody chose (ADR 13), if its kernels can do with it.
uint64_t usual_arena(uint64_t lower_bound);

/// Bytes. `asked` stands for usual_arena(), up or down. `least` is what the leanest kernels
/// need; whether the device has that much is not asked here.
uint64_t arena_limit(const NetworkMemory& memory, const Device& device,
                     std::optional<uint64_t> asked, uint64_t least);

/// With the leanest kernels of all spaces, whatever the weights.
uint64_t least_arena(const NetworkMemory& memory, const Device& device, KnownSpaces& spaces);

/// arena_limit() before anything is known of the kernels but their spaces.
uint64_t arena_limit(const IntegerNetwork& network, const Device& device,
                     const NetworkOptions& options, std::optional<uint64_t> asked);

}  // namespace tinytune
