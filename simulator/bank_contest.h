// The cycles that two cores, which run at the same time and have a port each for code and data,
// lose to accesses that collide in a bank.
//
// Both are simulated cycle by cycle: fetch-ahead (fetch_stream.h), execution, and the banks that
// they access. A bank serves one access per cycle, and the four ports in turn (RP2350 datasheet
// 2.1.1). A delayed fetch costs nothing while code fetched earlier is decoded; a delayed load or
// store stalls its core, though a jump after it is fetched meanwhile. Two cores in the same code
// fall into step, and the step depends on how much later the second one starts.
//
// The RTL of two Hazard3 cores behaves so: bench/cores/rtl.
//
// Parts of more than some four million cycles are simulated in windows spread over them, and
// assumed to lose the same share everywhere. Shorter ones are simulated whole: a window that starts
// anew may fall into another step.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "devices/device.h"
#include "simulator/block_graph.h"
#include "simulator/fetch_stream.h"
#include "simulator/timing_model.h"

namespace tinytune {

class BankContest {
 public:
  BankContest(const Device& device, TimingModel timing);

  /// Starts recording the part of `core`, 0 or 1; 0 forgets the pair before.
  void begin(size_t core);
  /// Records that the current block of `graph` leaves for `address`, after its accesses.
  void leave_for(uint32_t address, const BlockGraph& graph);
  void access(uint32_t address) { parts_[core_].banks.push_back(banks_.at(address)); }

  /// Returns the cycles that each core loses to the other, as a share of its cycles alone.
  std::array<double, 2> shares_lost() const;

 private:
  struct Block {
    std::vector<FetchedStep> steps;
    uint32_t first = 0;   ///< address
    uint32_t cycles = 0;  ///< approximate
    uint32_t accesses = 0;
  };
  /// Key of a block's entry state, exit and number of accesses.
  struct Passage {
    const PipelineState* entry = nullptr;  ///< identifies the block, too: no other block has it
    uint32_t left_for = 0, accesses = 0;

    bool operator==(const Passage&) const = default;
    struct Hash {
      size_t operator()(const Passage& passage) const;
    };
  };
  struct Part {
    std::vector<uint32_t> blocks;  ///< indices of blocks_, in the order that they ran
    std::vector<uint8_t> banks;    ///< of loads and stores
    size_t told = 0;               ///< number of these that belong to `blocks`
    uint64_t cycles = 0;           ///< approximate
  };
  struct Place {
    size_t block = 0, access = 0;
    uint64_t cycles = 0;  ///< approximate
  };
  class Side;

  struct Met {
    std::array<Place, 2> to;           ///< last end of a block that each core reached
    std::array<uint64_t, 2> cycles{};  ///< … and when
  };
  Met run_together(const std::array<Place, 2>& from, uint64_t limit) const;
  /// Returns the cycles of one core alone: the timing model's, if its core fetches as here.
  uint64_t run_alone(size_t core, const Place& from, const Place& to) const;
  Place later(size_t core, Place from, uint64_t cycles) const;

  TimingModel timing_;
  BankMap banks_;
  std::vector<Block> blocks_;
  std::unordered_map<Passage, uint32_t, Passage::Hash> known_;  ///< indices of blocks_
  std::array<Part, 2> parts_;
  size_t core_ = 0;
};

}  // namespace tinytune
