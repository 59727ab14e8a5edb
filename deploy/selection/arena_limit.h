// Limits of a network's arena, and the option that a refusal names.
//
// Without a limit, the arena exceeds the lower bound by at most a quarter or 4 KiB, whichever is
// larger, and never the device's memory. Kernels use as much of it as saves enough cycles
// (fitting.cc). If the leanest kernels need more, the arena is as large as they need (ADR 13).
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

/// Checks limits. kInvalidInput: a limit of 0 bytes, except for fast_ram_bytes.
Status require_positive(const MemoryLimits& limits);

/// The arena limit of the options.
struct ArenaAllowance {
  std::optional<uint64_t> bytes;
  std::string says;  ///< "--ram allows 20000, 160 of them for the stack"
};

/// Returns the smaller of --arena and of --ram minus `stack_bytes`.
ArenaAllowance arena_allowance(const MemoryLimits& limits, uint64_t stack_bytes = 0);

/// Returns the default limit of an arena (ADR 13), which applies if the leanest kernels meet it.
uint64_t usual_arena(uint64_t lower_bound);

/// Returns the limit in bytes. `asked` replaces usual_arena(), by more or less. `least`: bytes that
/// the leanest kernels need; may exceed the device's memory.
uint64_t arena_limit(const NetworkMemory& memory, const Device& device,
                     std::optional<uint64_t> asked, uint64_t least);

/// Returns the arena with the leanest kernels of all spaces, ignoring restrictions by weights.
uint64_t least_arena(const NetworkMemory& memory, const Device& device, KnownSpaces& spaces);

/// Returns arena_limit() from the spaces of kernels alone, before any kernel is chosen.
uint64_t arena_limit(const IntegerNetwork& network, const Device& device,
                     const NetworkOptions& options, std::optional<uint64_t> asked);

}  // namespace tinytune
