// How much memory a network may take: a promise to keep, not a wish.
//
// Kernels trade scratch for speed, so an arena without a limit would grow by a third for the last
// percents. By default it may exceed the bytes of tensors alive at once by 5 %; who has memory to
// spend says so.
#pragma once

#include <cstdint>
#include <optional>

namespace tinytune {

struct MemoryLimits {
  std::optional<uint64_t> ram_bytes;    ///< of the arena: tensors and kernels' scratch. Default:
                                        ///< lower bound + 5 %, or the least that kernels need
  std::optional<uint64_t> flash_bytes;  ///< of the library: weights and code. Default: the device's
  /// Of code and weights copied to the device's fast memory, if it has any; absent: what fits.
  std::optional<uint64_t> fast_ram_bytes;
  /// Whether kernels must be chosen to fit; fast memory takes what there is.
  bool any() const { return ram_bytes || flash_bytes; }
};

}  // namespace tinytune
