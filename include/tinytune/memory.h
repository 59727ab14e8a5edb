// Limits on a network's memory. They are hard: a network that exceeds one is an error.
//
// RAM is shared with an application. Kernels trade scratch for speed, and copies from flash to RAM
// save waits, so a network without limits would take all memory. By default the arena exceeds the
// bytes of tensors alive at once only as far as its bytes buy enough speed (doc/memory.md), and
// copies take half of the RAM outside the arena. Set a limit explicitly to allow more.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace tinytune {

/// Upper bounds in bytes; all optional.
struct MemoryLimits {
  /// All RAM: arena, copied code and weights, stack. Default: the device's. If set, the arena and
  /// copies may use all of it.
  std::optional<uint64_t> ram_bytes;
  /// Tensors and scratch. Default: as long as bytes buy enough speed, or the least that works.
  std::optional<uint64_t> arena_bytes;
  std::optional<uint64_t> flash_bytes;  ///< the library: weights and code. Default: the device's
  /// Code and weights copied to the device's fast memory, if it has any; kAllFastRam: all that fit.
  /// Default: half of the RAM outside the arena, with room for a small application.
  std::optional<uint64_t> fast_ram_bytes;
};

/// Value of fast_ram_bytes: as much as fits.
inline constexpr uint64_t kAllFastRam = std::numeric_limits<uint64_t>::max();

}  // namespace tinytune
