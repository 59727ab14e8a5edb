// Where the buffers of a call sit in the device's address space.
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

/// The kernel may store to it.
inline bool is_written(BufferRole role) {
  return role == BufferRole::kScratch || role == BufferRole::kOutput;
}

/// Pages to map for one guarded buffer. What lies around them stays unmapped.
struct GuardedPages {
  AddressRange pages;
  bool writable = false;
};

struct BufferLayout {
  std::vector<uint32_t> addresses;   ///< one per buffer
  std::vector<GuardedPages> mapped;  ///< empty without a guard
  /// Bytes of mapped pages that belong to no buffer and lie nearer to one than its alignment
  /// allowed the page's end to be.
  std::vector<AddressRange> slack;
};

/// Where constants may be that no memory for copied weights has room for.
enum class Overflow {
  kToFlash,  ///< where linked programs have them
  kNowhere,  ///< they do not fit: nobody writes a real board's flash
};

/// Packed into the device's data memory after its first `used_bytes`. Constants go to the first of
/// the memories for copied weights that has room for them, tensors first; on a device without such
/// memories to where linked programs have them; both after what the image's `segments` take there.
/// Nothing: they do not fit.
std::optional<BufferLayout> place_as_firmware_does(const Device& device,
                                                   std::span<const Argument> buffers,
                                                   uint32_t used_bytes,
                                                   std::span<const AddressRange> segments,
                                                   Overflow overflow);

/// Both guarded layouts at once, in an address range the device does not use, so that one mapping
/// serves every verify run of a kernel. Nothing: no such range is left.
struct GuardedLayouts {
  BufferLayout at_end, at_start;
};
std::optional<GuardedLayouts> place_guarded(const Device& device,
                                            std::span<const Argument> buffers);

}  // namespace tinytune
