// How much memory a network may take: a promise to keep, not a wish.
//
// RAM is shared with an application. Kernels trade scratch for speed, and what is copied from flash
// to RAM saves waits, so a network without a limit would take all there is. By default its arena
// exceeds the bytes of tensors alive at once as far as bytes buy speed (doc/memory.md), and copies
// leave half of what the arena leaves free; who has memory to spend says so.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace tinytune {

/// The most bytes that a network may take; all optional.
struct MemoryLimits {
  /// Of all RAM: arena, copied code and weights, stack. Default: the device's. With it the arena
  /// may grow, and copies may take, as far as it allows.
  std::optional<uint64_t> ram_bytes;
  /// Of tensors and scratch. Default: what its bytes are worth, or the least that kernels need.
  std::optional<uint64_t> arena_bytes;
  std::optional<uint64_t> flash_bytes;  ///< of the library: weights and code. Default: the device's
  /// Of code and weights copied to the device's fast memory, if it has any; kAllFastRam: what fits.
  /// Default: half of what the arena leaves free, with room for a small application.
  std::optional<uint64_t> fast_ram_bytes;
};

/// As much as fits.
inline constexpr uint64_t kAllFastRam = std::numeric_limits<uint64_t>::max();

}  // namespace tinytune
