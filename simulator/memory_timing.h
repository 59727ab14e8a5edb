// What slow memories cost: the caches between the core and its flash, and the cycles it waits.
//
// A cache is lines of fills, found by address; what is in it costs nothing beyond what the timing
// model charges. Every call starts with cold caches: an inference follows whatever else a firmware
// does, and a count that depends on what was measured before it would not be repeatable.
//
// A prefetch buffer makes a fill cheaper that code runs into from the one before; how much it hides
// depends on the code, and the device file has one figure for all of it. Lines that the core asks
// for ahead come while it goes on. Not modelled, because nobody publishes it: the arbitration of
// fetches and reads for one memory, and other reads of a line still being filled.
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
  /// Where the line of `address` begins.
  uint32_t line_of(uint32_t address) const { return address >> line_shift_ << line_shift_; }
  /// Holds what another one of the same model does.
  void take_contents_of(const Cache& other);

  /// Brings `size_bytes` from `address` in; returns how many fills that took.
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
    uint32_t valid = 0;  ///< a bit for each fill
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

  /// Units that take turns with misses; null: none does. It outlives this.
  void set_arrival(Arrival* arrival) { arrival_ = arrival; }
  /// Cold caches, no waits.
  void begin();
  /// No waits, and what the caches of another one of the same device hold.
  void take_contents_of(const MemoryTiming& other);
  void fetch(uint32_t address, uint32_t size_bytes);
  /// `now`: cycles of the run so far but for those that wait; only fills that go on in the
  /// background ask. Where it stands still, each waits for all of those before.
  void read(uint32_t address, uint32_t size_bytes, uint64_t now = 0);
  /// The core asks for the line of `address` and goes on, once one of two buffers for lines on
  /// their way is free. Lines come one after another; what is read before its line is there waits.
  void prefetch(uint32_t address, uint64_t now);
  /// Something else than the core brings these bytes into a cache.
  void fill(const std::string& cache, uint32_t address, uint32_t size_bytes);

  struct Waits {
    uint64_t fetch = 0, read = 0;  ///< cycles
  };
  const Waits& waits() const { return waits_; }
  /// Cycles waited for each memory that has caches, by name.
  std::vector<std::pair<std::string, uint64_t>> waits_by_memory() const;

  /// Whether code, or data, in any of `ranges` may wait.
  bool times_fetches(std::span<const AddressRange> ranges) const;
  bool times_reads(std::span<const AddressRange> ranges) const;
  /// Where reads may wait.
  std::vector<AddressRange> timed_reads() const;
  /// Memories whose misses of code or data that cache serves.
  std::vector<AddressRange> ranges_behind(const std::string& cache) const;

 private:
  struct Region {
    AddressRange range;
    Cache *fetch = nullptr, *read = nullptr;
    uint32_t fill_cycles = 0, next_fill_cycles = 0, rest_cycles = 0;
    std::string name;
    uint64_t waited = 0;
    uint64_t busy_until = 0;  ///< with a fill
    struct Coming {
      uint32_t address = 0;  ///< of a line
      uint64_t there = 0;    ///< by the clock
    };
    Coming coming[2];  ///< asked for last, the older first
    bool contains(uint32_t address) const { return address - range.address < range.size_bytes; }
    bool meets(const AddressRange& other) const;
    void begin() {
      waited = busy_until = 0;
      coming[0] = coming[1] = Coming();
    }
  };

  /// What `fills` wait, in turn, that are asked for at `now`.
  static uint64_t filled(Region& region, uint32_t fills, uint64_t now);
  /// What a read at `now` waits for a line on its way.
  static uint64_t awaited(const Region& region, uint32_t address, uint64_t now);
  uint64_t with_turn(const Cache* cache, uint64_t cycles);

  std::vector<Cache> caches_;
  std::vector<std::string> names_;  ///< of caches
  Arrival* arrival_ = nullptr;
  std::vector<Region> regions_;
  uint32_t fetched_to_ = 0;  ///< where the code fetched last ends
  Waits waits_;
};

}  // namespace tinytune
