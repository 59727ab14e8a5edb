// Addresses of a call's buffers in the device's address space.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "devices/device.h"
#include "measure/board.h"
#include "simulator/simulator.h"

namespace tinytune {

/// Returns whether the kernel may store to the buffer.
inline bool is_written(BufferRole role) {
  return role == BufferRole::kScratch || role == BufferRole::kOutput;
}

/// Pages to map for one guarded buffer. The pages around them stay unmapped.
struct GuardedPages {
  AddressRange pages;
  bool writable = false;
};

struct BufferLayout {
  std::vector<uint32_t> addresses;   ///< one per buffer
  std::vector<GuardedPages> mapped;  ///< empty without a guard
  /// Bytes of mapped pages that belong to no buffer, before or after it in its pages.
  std::vector<AddressRange> slack;
};

/// Place of constants that fit no memory for copied weights.
enum class Overflow {
  kToFlash,  ///< the memory of constants in linked programs
  kNowhere,  ///< none: a real board's flash is never written
};

/// Packs buffers into the device's data memory after its first `used_bytes`. Constants go to the
/// first memory for copied weights that has room, tensors being placed first; on a device without
/// such memories, to the memory of constants in linked programs. Both are placed after the image's
/// `segments` there. nullopt: they do not fit.
std::optional<BufferLayout> place_as_firmware_does(const Device& device,
                                                   std::span<const Argument> buffers,
                                                   uint32_t used_bytes,
                                                   std::span<const AddressRange> segments,
                                                   Overflow overflow);

/// Both guarded layouts, in an address range that the device does not use, so that one mapping
/// serves every verification run of a kernel. nullopt: no such range is left.
struct GuardedLayouts {
  BufferLayout at_end, at_start;
};
std::optional<GuardedLayouts> place_guarded(const Device& device,
                                            std::span<const Argument> buffers);

}  // namespace tinytune
