// Two sections of a call that run at the same time on two cores, told from a call that ran them one
// after the other on one.
//
// What a section computes does not depend on when it does, as long as neither touches what the
// other writes. That is checked byte by byte, and a program that breaks it is refused. How long
// both take together follows from what each did by itself: its cycles without waits, and the
// accesses to memory behind a cache in their order. These are merged as the cores come to them: one
// port, which a fill holds for its cycles, and one cache, which starts with what it held before.
// Where a memory has banks, and at that port, accesses of both cores to one bank meet. Cores with a
// port each for code and data are followed cycle by cycle (bank_contest.h). Of others nobody has
// published what they fetch ahead: they meet as often as accesses of the one times those of the
// other a cycle say, as cores do that drift against each other, and each meeting costs one of the
// two a cycle, either as often as the other.
//
// A unit that brings weights through that port is merged as well: it begins both sections where it
// was before the first one, and goes on behind them where it has got by the time of both together.
// No transfer may set out in a section.
//
// Not modelled: the stacks, which are two on two cores and one here.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "devices/device.h"
#include "simulator/arrival.h"
#include "simulator/bank_contest.h"
#include "simulator/fetch_stream.h"
#include "simulator/memory_timing.h"
#include "simulator/simulator.h"

namespace tinytune {

class CoreOverlap {
 public:
  /// `device` outlives it.
  CoreOverlap(const Device& device, const TimingModel& timing);

  /// The unit that moves while sections run; null: none. It outlives this.
  void set_arrival(Arrival* arrival) { arrival_ = arrival; }
  /// A call starts. `pairs` of its sections.
  void begin(std::span<const CorePair> pairs);
  bool is_asked() const { return !pairs_.empty(); }

  /// A block is about to run in `section` (-1: in none), after so many cycles, waits left out.
  /// `timing` is as it was before the block was fetched.
  void block(int section, uint64_t cycles, const AddressRange& code, const MemoryTiming& timing);
  /// The block that `graph` stands at leaves for `address`, before the next one is about to run.
  /// `met`: cycles, all so far, in which this core met itself.
  void leave_for(uint32_t address, const BlockGraph& graph, uint64_t met);
  void access(uint32_t address, uint32_t size_bytes, bool is_write);
  void finish(uint64_t cycles);

  const std::vector<JoinedVisit>& joined() const { return joined_; }
  /// What both touched; empty if nothing.
  const std::string& race() const { return race_; }

 private:
  struct Event {
    uint32_t gap = 0;  ///< cycles since the last one
    uint32_t address = 0;
    uint32_t size_bytes = 0;
    bool is_fetch = false;
  };
  struct Part {
    std::vector<Event> events;
    uint64_t began = 0, last = 0, cycles = 0;
    uint64_t met_before = 0, met = 0;  ///< cycles in which it met itself
    std::vector<uint64_t> by_bank;
  };
  struct Written {
    AddressRange range;
    std::vector<uint8_t> touched;  ///< by byte, of the first part: kRead, kWritten
  };
  static constexpr uint8_t kRead = 1, kWritten = 2;
  static constexpr size_t kPort = 256;  ///< behind all banks

  void open(int section, uint64_t cycles, const MemoryTiming& timing);
  void close(uint64_t cycles);
  bool is_timed(uint32_t address) const;
  size_t bank_of(uint32_t address) const;
  std::array<uint64_t, 2> merged();
  JoinedVisit join(size_t pair);
  /// In banks from `first_bank` on, if both need so many cycles.
  double meetings(size_t first_bank, uint64_t cycles) const;
  /// Cycles that each core waits for banks.
  std::array<double, 2> collisions(const std::array<uint64_t, 2>& cycles) const;

  BankMap banks_;
  std::unique_ptr<BankContest> contest_;  ///< null: one port of each core
  std::vector<AddressRange> timed_;
  std::vector<Written> writable_;
  std::vector<CorePair> pairs_;
  int section_ = -1;
  std::optional<size_t> pair_;  ///< of the section that runs
  size_t part_ = 0;
  uint64_t now_ = 0, met_ = 0;
  std::array<Part, 2> parts_;
  std::unique_ptr<MemoryTiming> before_;  ///< the caches as the first part found them
  Arrival* arrival_ = nullptr;
  Arrival::Rest rest_;       ///< as the first part found it
  uint64_t merged_now_ = 0;  ///< cycles since both began
  const Device& device_;
  std::vector<JoinedVisit> joined_;
  std::string race_;
};

}  // namespace tinytune
