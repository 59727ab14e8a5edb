// How much memory a network may take: a promise to keep, not a wish.
#pragma once

#include <cstdint>
#include <optional>

namespace tinytune {

struct MemoryLimits {
  std::optional<uint64_t> ram_bytes;    ///< of the arena: tensors and kernels' scratch
  std::optional<uint64_t> flash_bytes;  ///< of the library: weights and code
  bool any() const { return ram_bytes || flash_bytes; }
};

}  // namespace tinytune
