// The device's memories, as pages of this process.
//
// The emulator uses them in place, so writing a tensor is a copy without calls to the emulator.
// clear() returns the pages to the operating system: it costs time for touched, not mapped, pages.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tinytune/result.h"

namespace tinytune {

class Memory {
 public:
  struct Region {
    uint32_t address = 0, size_bytes = 0;
    bool executable = false, writable = false;
    bool extra = false;  ///< added after the device's own
    uint8_t* host = nullptr;
    bool contains(uint32_t at, uint64_t bytes) const {
      return at >= address && uint64_t{at} + bytes <= uint64_t{address} + size_bytes;
    }
  };

  Memory() = default;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory();

  /// Adds a region of whole 4 KiB pages. kInvalidInput: overlaps another. kFailed: no host memory.
  Status add(Region region);
  void remove_extra();

  /// Returns bytes inside one region; else an empty span with a null pointer.
  std::span<uint8_t> at(uint32_t address, uint64_t size_bytes) const;
  const Region* region(uint32_t address) const;
  /// Returns four bytes of code, or the last two of a region; 0: outside of all.
  uint32_t code_at(uint32_t address) const;
  const std::vector<Region>& regions() const { return regions_; }

  /// Sets all bytes of all regions to zero.
  void clear();

 private:
  std::vector<Region> regions_;
};

}  // namespace tinytune
