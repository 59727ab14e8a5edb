// Progress of a unit that copies weights out of flash while code runs on the core.
//
// Bytes arrive in pieces, each at its own cycle. A miss of the core in the cache that shares the
// port with the unit waits for the piece under way, and the unit continues some cycles after the
// miss. An access to a byte that has not arrived would see another value on the chip, so it ends
// the call in a fault. So does reading or executing flash while a unit has locked it. Time has the
// resolution of a block of code: misses count as happening at the start of their block. Not
// modelled: writes of the unit to RAM that collide with the core's in one bank.
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
  /// Returns the cycles of the call.
  using Clock = std::function<uint64_t()>;
  /// Caches bytes from an address in the way's cache.
  using CacheFill = std::function<void(uint32_t from, uint32_t size_bytes)>;
  /// `memory`, and all that the functions use, outlive it.
  Arrival(ArrivalWay way, Memory& memory, Clock now, CacheFill fill = {})
      : way_(std::move(way)), memory_(memory), now_(std::move(now)), fill_(std::move(fill)) {}

  const ArrivalWay& way() const { return way_; }

  /// Begins a call: no transfer is under way, and flash is not locked.
  void begin() {
    left_bytes_ = 0;
    has_flash_ = is_held_ = false;
  }
  /// Starts a transfer of whole words between memories that the unit may access; requires that no
  /// other is under way.
  void start(uint32_t from, uint32_t to, uint32_t size_bytes);
  /// The same into the cache.
  void start_fill(uint32_t from, uint32_t size_bytes);
  /// Returns whether a transfer is under way.
  bool moves() {
    if (left_bytes_ > 0) advance(now_());
    return left_bytes_ > 0;
  }
  /// Returns whether a transfer to memory, not to the cache, is under way.
  bool moves_memory() { return !fills_ && moves(); }
  /// The rest of a transfer, and the time of its next piece.
  struct Rest {
    bool fills = false;
    uint32_t from = 0, to = 0, left_bytes = 0;
    uint64_t next_in = 0;  ///< cycles
  };
  Rest rest();
  /// Continues that transfer from now. A piece may be copied twice, with the same bytes.
  void go_on(const Rest& rest);
  /// Returns the same unit with another clock, without its transfer.
  Arrival beside(Clock now) const { return Arrival(way_, memory_, std::move(now), fill_); }
  /// While held, no transfer may start, because its time will be computed anew (core_overlap.h).
  void hold(bool held) { is_held_ = held; }
  bool is_held() const { return is_held_; }
  /// Locks or unlocks flash for the unit.
  void lock_flash(bool locked) { has_flash_ = locked; }
  /// Returns whether flash is locked, and can be neither read nor executed.
  bool has_flash() const { return has_flash_; }
  /// Reports a miss of the core that takes `cycles`; returns its wait before these.
  uint64_t miss(uint64_t cycles);
  /// Returns whether that range has bytes that have not arrived yet.
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
  bool fills_ = false;      // the transfer is to the cache
  bool has_flash_ = false;  // flash is locked
  bool is_held_ = false;
  uint32_t from_ = 0, to_ = 0, left_bytes_ = 0;  // rest of the transfer
  uint64_t next_at_ = 0;                         // the cycle at which the next piece arrives
};

/// A range of addresses with registers of a unit.
struct ArrivalRegisters {
  uint32_t address = 0, size_bytes = 0;  ///< whole pages
  std::unique_ptr<Peripheral> unit;
};

/// Returns the registers of the engine that the way names; all share `arrival`, which outlives
/// them.
std::vector<ArrivalRegisters> registers_of(Arrival& arrival);

// One for each engine.
std::vector<ArrivalRegisters> rp2040_stream(Arrival& arrival);
std::vector<ArrivalRegisters> rp2350_stream(Arrival& arrival);
std::vector<ArrivalRegisters> rp2040_burst(Arrival& arrival);
std::vector<ArrivalRegisters> esp32c3_preload(Arrival& arrival);

}  // namespace tinytune
