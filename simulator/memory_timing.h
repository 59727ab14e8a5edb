// Wait cycles of slow memories: the caches between the core and its flash.
//
// A cache has lines, and a line has fills. A hit costs nothing beyond the timing model's cycles.
// Every call starts with cold caches: an inference follows other parts of a firmware, and a count
// that depends on earlier measurements would not be repeatable.
//
// A prefetch buffer makes a fill cheaper that continues the one before. How much it hides depends
// on the code; the device file has one figure for all code. Lines that the core prefetches arrive
// while it goes on. Not modelled, because nobody publishes it: the arbitration of fetches and reads
// for one memory, and other reads of a line still being filled.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "devices/device.h"
#include "simulator/simulator.h"

namespace tinytune {

class Cache {
 public:
  explicit Cache(const CacheModel& model);

  void clear();
  uint32_t line_bytes() const { return line_bytes_; }
  /// Returns the start of the line of `address`.
  uint32_t line_of(uint32_t address) const { return address >> line_shift_ << line_shift_; }
  /// Copies the contents of a cache of the same model.
  void take_contents_of(const Cache& other);

  /// Caches `size_bytes` from `address` on; returns the number of fills that this took.
  uint32_t touch(uint32_t address, uint32_t size_bytes) {
    const uint32_t first = address >> line_shift_, last = (address + size_bytes - 1) >> line_shift_;
    if (first == last && first == latest_) {
      const uint32_t lacking = fills_of(first, address, size_bytes) & ~latest_line_->valid;
      if (lacking == 0) return 0;
    }
    return touch_lines(address, size_bytes);
  }

 private:
  struct Line {
    uint32_t number = kNone;
    uint32_t valid = 0;  ///< fills that it holds, a bit each
  };
  static constexpr uint32_t kNone = 0xFFFFFFFF;  ///< no line has this number

  uint32_t fills_of(uint32_t line, uint32_t address, uint32_t size_bytes) const;
  uint32_t touch_lines(uint32_t address, uint32_t size_bytes);
  Line& line_at(uint32_t number);

  uint32_t line_bytes_, line_shift_, fill_shift_, ways_;
  bool moves_on_hit_;
  std::vector<std::vector<Line>> sets_;  ///< each newest first
  uint32_t latest_ = kNone;              ///< line touched last
  Line* latest_line_ = nullptr;
};

class Arrival;

class MemoryTiming {
 public:
  explicit MemoryTiming(const Device& device);

  /// Sets the unit that takes turns with misses; null: none. It outlives this.
  void set_arrival(Arrival* arrival) { arrival_ = arrival; }
  /// Starts with cold caches and no waits.
  void begin();
  /// Starts with no waits, and with the cache contents of another one of the same device.
  void take_contents_of(const MemoryTiming& other);
  void fetch(uint32_t address, uint32_t size_bytes);
  /// `now`: cycles of the run so far, without waits; used only by fills that continue in the
  /// background. If it does not advance, each fill waits for all of those before.
  void read(uint32_t address, uint32_t size_bytes, uint64_t now = 0);
  /// Requests the line of `address`; the core goes on once one of the two buffers for lines under
  /// way is free. Lines arrive one after another; a read of a line under way waits for it.
  void prefetch(uint32_t address, uint64_t now);
  /// Fills a cache with these bytes without the core, at no cost.
  void fill(const std::string& cache, uint32_t address, uint32_t size_bytes);

  struct Waits {
    uint64_t fetch = 0, read = 0;  ///< cycles
  };
  const Waits& waits() const { return waits_; }
  /// Returns the cycles waited for each memory that has caches, by name.
  std::vector<std::pair<std::string, uint64_t>> waits_by_memory() const;

  /// Return whether fetches, or reads, of any of `ranges` may wait.
  bool times_fetches(std::span<const AddressRange> ranges) const;
  bool times_reads(std::span<const AddressRange> ranges) const;
  /// Returns the memories of which reads may wait.
  std::vector<AddressRange> timed_reads() const;
  /// Returns the memories that have `cache` for code or data.
  std::vector<AddressRange> ranges_behind(const std::string& cache) const;

 private:
  struct Region {
    AddressRange range;
    Cache *fetch = nullptr, *read = nullptr;
    uint32_t fill_cycles = 0, next_fill_cycles = 0, rest_cycles = 0;
    std::string name;
    uint64_t waited = 0;
    uint64_t busy_until = 0;  ///< when its last fill ends
    struct Coming {
      uint32_t address = 0;  ///< of a line
      uint64_t there = 0;    ///< when it arrives
    };
    Coming coming[2];  ///< the last two prefetches, the older first
    bool contains(uint32_t address) const { return address - range.address < range.size_bytes; }
    bool meets(const AddressRange& other) const;
    void begin() {
      waited = busy_until = 0;
      coming[0] = coming[1] = Coming();
    }
  };

  /// Returns the wait for `fills`, one after another, requested at `now`.
  static uint64_t filled(Region& region, uint32_t fills, uint64_t now);
  /// Returns the wait of a read at `now` for a line under way.
  static uint64_t awaited(const Region& region, uint32_t address, uint64_t now);
  uint64_t with_turn(const Cache* cache, uint64_t cycles);

  std::vector<Cache> caches_;
  std::vector<std::string> names_;  ///< of caches
  Arrival* arrival_ = nullptr;
  std::vector<Region> regions_;
  uint32_t fetched_to_ = 0;  ///< end of the code fetched last
  Waits waits_;
};

}  // namespace tinytune
