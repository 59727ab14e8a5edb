// Cache of blocks in a board's RAM between kernels, by digest: inputs, and constants that other
// schedules of a task need at other addresses. A copy on the board costs the link a few bytes
// instead of the whole block, and the core a tenth of the time of generating it from a seed.
//
// Blocks are in the data memory above the loaded kernel's data, from the memory's end downwards. A
// kernel that needs more evicts them; a new block evicts the least recently used ones.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "base/digest.h"

namespace tinytune {

/// Only keeps the index; the caller copies.
class BlockShelf {
 public:
  /// Manages RAM from `begin` to `end`, initially all free.
  BlockShelf(uint32_t begin, uint32_t end) : begin_(begin), free_from_(begin), end_(end) {}

  /// Returns the block's address and marks it as used.
  std::optional<uint32_t> find(const Digest& digest, uint32_t size_bytes);
  /// Adds a block and returns its address, 8-byte aligned. nullopt: larger than the whole room.
  std::optional<uint32_t> add(const Digest& digest, uint32_t size_bytes);
  /// Returns whether a block fits without evicting another.
  bool has_room(uint32_t size_bytes) const { return gap_of(size_bytes).has_value(); }
  /// Gives the memory below `address` to a kernel; evicts blocks that reach into it.
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
