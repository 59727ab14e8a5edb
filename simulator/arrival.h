// Weights that come out of flash while code runs: how far a unit beside the core has got.
//
// Bytes appear piece by piece, each at its own cycle. A miss of the core in the cache that takes
// turns with the unit waits for the piece under way, and the unit goes on some cycles behind it. A
// byte that is touched before it is there would be another one on the chip: the call ends in a
// fault. So does a read of flash, or code there, while a unit has flash for itself. Time is known
// to the block of code: what misses in one block is taken to miss at its start. Not modelled:
// writes of the unit to RAM that meet the core's in one bank.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "devices/arrival_way.h"
#include "simulator/memory.h"
#include "simulator/peripheral.h"

namespace tinytune {

class Arrival {
 public:
  /// Cycles of the call.
  using Clock = std::function<uint64_t()>;
  /// Brings bytes from an address into the way's cache.
  using CacheFill = std::function<void(uint32_t from, uint32_t size_bytes)>;
  /// All of them outlive it.
  Arrival(ArrivalWay way, Memory& memory, Clock now, CacheFill fill = {})
      : way_(std::move(way)), memory_(memory), now_(std::move(now)), fill_(std::move(fill)) {}

  const ArrivalWay& way() const { return way_; }

  /// A call begins: nothing moves, and flash is everybody's.
  void begin() {
    left_bytes_ = 0;
    has_flash_ = is_held_ = false;
  }
  /// Whole words, of memory that the unit may read and write; nothing moves now.
  void start(uint32_t from, uint32_t to, uint32_t size_bytes);
  /// The same into the cache.
  void start_fill(uint32_t from, uint32_t size_bytes);
  /// Whether some has not arrived yet.
  bool moves() {
    if (left_bytes_ > 0) advance(now_());
    return left_bytes_ > 0;
  }
  /// Likewise, and memory is what changes.
  bool moves_memory() { return !fills_ && moves(); }
  /// What has not arrived, and when its next piece does.
  struct Rest {
    bool fills = false;
    uint32_t from = 0, to = 0, left_bytes = 0;
    uint64_t next_in = 0;  ///< cycles
  };
  Rest rest();
  /// Goes on with that from now. Pieces that are brought twice are the same.
  void go_on(const Rest& rest);
  /// The same unit by another clock.
  Arrival beside(Clock now) const { return Arrival(way_, memory_, std::move(now), fill_); }
  /// While held no transfer may set out: time will be told anew (core_overlap.h).
  void hold(bool held) { is_held_ = held; }
  bool is_held() const { return is_held_; }
  /// Takes flash for itself, or gives it back.
  void lock_flash(bool locked) { has_flash_ = locked; }
  /// Whether a read of flash, or a jump there, is not served.
  bool has_flash() const { return has_flash_; }
  /// The core misses, and what it lacks takes `cycles`. Returns what it waits before.
  uint64_t miss(uint64_t cycles);
  /// Whether that range has bytes that did not arrive yet.
  bool lacks(uint32_t address, uint32_t size_bytes) {
    if (left_bytes_ == 0 || fills_ || !meets(address, size_bytes)) return false;
    advance(now_());
    return left_bytes_ > 0 && meets(address, size_bytes);
  }

 private:
  bool meets(uint32_t address, uint32_t size_bytes) const {
    return address < to_ + left_bytes_ && to_ < address + size_bytes;
  }
  void advance(uint64_t now);
  void deliver();

  ArrivalWay way_;
  Memory& memory_;
  Clock now_;
  CacheFill fill_;
  bool fills_ = false;      // the cache
  bool has_flash_ = false;  // for itself
  bool is_held_ = false;
  uint32_t from_ = 0, to_ = 0, left_bytes_ = 0;  // of what did not arrive yet
  uint64_t next_at_ = 0;                         // the cycle at which the next piece is there
};

/// A unit's registers, a range of addresses each.
struct ArrivalRegisters {
  uint32_t address = 0, size_bytes = 0;  ///< whole pages
  std::unique_ptr<Peripheral> unit;
};

/// Of the engine that the way names; all share `arrival`, which outlives them.
std::vector<ArrivalRegisters> registers_of(Arrival& arrival);

// By engine.
std::vector<ArrivalRegisters> rp2040_stream(Arrival& arrival);
std::vector<ArrivalRegisters> rp2350_stream(Arrival& arrival);
std::vector<ArrivalRegisters> rp2040_burst(Arrival& arrival);
std::vector<ArrivalRegisters> esp32c3_preload(Arrival& arrival);

}  // namespace tinytune
