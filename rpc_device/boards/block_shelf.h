// Blocks of bytes that stay in a board's RAM between kernels, by what they are: constants that
// other schedules of a task want elsewhere, and inputs. A copy on the board costs the link a few
// bytes where sending costs all of them, and a core a tenth of what making them of a seed does.
//
// They lie in the data memory above whatever the loaded kernel has there, from its end downwards. A
// kernel that needs more takes it from them; for a new block those used longest ago make room.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "base/digest.h"

namespace tinytune {

/// Book-keeping alone: whoever asks does the copying.
class BlockShelf {
 public:
  /// RAM from `begin` to `end`, all of it free.
  BlockShelf(uint32_t begin, uint32_t end) : begin_(begin), free_from_(begin), end_(end) {}

  /// Where the block lies; it counts as used.
  std::optional<uint32_t> find(const Digest& digest, uint32_t size_bytes);
  /// Where it may be put, 8-byte aligned. Nothing: it is larger than the room.
  std::optional<uint32_t> add(const Digest& digest, uint32_t size_bytes);
  /// Without another block making room.
  bool has_room(uint32_t size_bytes) const { return gap_of(size_bytes).has_value(); }
  /// What lies below `address` is a kernel's; blocks that reach into it are gone.
  void give_up_below(uint32_t address);
  void clear() { blocks_.clear(); }

 private:
  struct Block {
    uint32_t size_bytes = 0;
    Digest digest;
    uint64_t used = 0;
  };
  std::optional<uint32_t> gap_of(uint32_t size_bytes) const;

  uint32_t begin_, free_from_, end_;
  uint64_t uses_ = 0;
  std::map<uint32_t, Block> blocks_;  ///< by address
};

}  // namespace tinytune
