// The time of two sections that run at the same time on two cores, derived from a call that ran
// them one after the other on one core.
//
// The result of a section does not depend on when it runs, as long as neither accesses bytes that
// the other writes. That is checked byte by byte, and a program that violates it is refused. The
// joint time follows from each section's own cycles without waits, and from its accesses to memory
// behind a cache, in order. These are merged in the order of their times: there is one port, which
// a fill occupies for its cycles, and one cache, which starts with its contents before the pair.
//
// In memories with banks, and at that port, accesses of both cores to one bank can collide. Cores
// with a port each for code and data are simulated cycle by cycle (bank_contest.h). For others
// nobody has published the fetch-ahead. Their collisions are estimated as accesses of one core
// times accesses of the other per cycle, as for cores that drift against each other; each collision
// costs one of the two a cycle, both equally often.
//
// A unit that copies weights through that port is merged as well: in both sections it starts from
// its state before the first one, and afterwards continues from its state at the joint time. No
// transfer may start in a section.
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

  /// Sets the unit that copies weights while sections run; null: none. It outlives this.
  void set_arrival(Arrival* arrival) { arrival_ = arrival; }
  /// Starts a call with these pairs of its sections.
  void begin(std::span<const CorePair> pairs);
  bool is_asked() const { return !pairs_.empty(); }

  /// Records that a block is about to run in `section` (-1: none). `cycles`: so far, without waits.
  /// `timing`: before the block is fetched.
  void block(int section, uint64_t cycles, const AddressRange& code, const MemoryTiming& timing);
  /// Records that the current block of `graph` leaves for `address`, before the next one runs.
  /// `met`: all cycles so far that this core lost to bank conflicts of its own two ports.
  void leave_for(uint32_t address, const BlockGraph& graph, uint64_t met);
  void access(uint32_t address, uint32_t size_bytes, bool is_write);
  void finish(uint64_t cycles);

  const std::vector<JoinedVisit>& joined() const { return joined_; }
  /// Describes a conflicting access of the two; empty: none.
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
    uint64_t met_before = 0, met = 0;  ///< cycles lost to bank conflicts of its own
    std::vector<uint64_t> by_bank;
  };
  struct Written {
    AddressRange range;
    std::vector<uint8_t> touched;  ///< by byte, of the first part: kRead, kWritten
  };
  static constexpr uint8_t kRead = 1, kWritten = 2;
  static constexpr size_t kPort = 256;  ///< index of the cache's port, after all banks

  void open(int section, uint64_t cycles, const MemoryTiming& timing);
  void close(uint64_t cycles);
  bool is_timed(uint32_t address) const;
  size_t bank_of(uint32_t address) const;
  std::array<uint64_t, 2> merged();
  JoinedVisit join(size_t pair);
  /// Estimates the collisions in banks from `first_bank` on, if both parts take `cycles`.
  double meetings(size_t first_bank, uint64_t cycles) const;
  /// Returns the cycles that each core waits for banks.
  std::array<double, 2> collisions(const std::array<uint64_t, 2>& cycles) const;

  BankMap banks_;
  std::unique_ptr<BankContest> contest_;  ///< null: one port of each core
  std::vector<AddressRange> timed_;
  std::vector<Written> writable_;
  std::vector<CorePair> pairs_;
  int section_ = -1;
  std::optional<size_t> pair_;  ///< pair of the section that runs
  size_t part_ = 0;
  uint64_t now_ = 0, met_ = 0;
  std::array<Part, 2> parts_;
  std::unique_ptr<MemoryTiming> before_;  ///< state of the caches before the first part
  Arrival* arrival_ = nullptr;
  Arrival::Rest rest_;       ///< state of `arrival_` before the first part
  uint64_t merged_now_ = 0;  ///< cycles since both began
  const Device& device_;
  std::vector<JoinedVisit> joined_;
  std::string race_;
};

}  // namespace tinytune
