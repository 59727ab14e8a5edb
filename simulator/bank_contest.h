// What two cores lose that run at the same time, each with a port for code and one for data, where
// their accesses meet in a bank.
//
// Both are followed cycle by cycle: what each fetches ahead (fetch_stream.h), when an instruction
// is executed, which banks are asked for. A bank serves one access a cycle, and the four ports in
// turn (RP2350 datasheet 2.1.1). A fetch that waits costs nothing while code that came before is
// decoded; a load or store that waits holds up its core, though a jump behind it is fetched
// meanwhile. Two cores in the same code fall into step, and which step depends on how much later
// the second one starts.
//
// So two Hazard3 cores as RTL do: bench/cores/rtl.
//
// Parts of more than some four million cycles are followed in windows spread over them, and what
// was lost there is taken to be lost everywhere. Shorter ones are not: a window that starts anew
// may fall into another step.
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

  /// A core starts what the other one does beside it. `core`: 0 or 1; 0 forgets what was before.
  void begin(size_t core);
  /// The block that `graph` stands at leaves for `address`, having made these accesses.
  void leave_for(uint32_t address, const BlockGraph& graph);
  void access(uint32_t address) { parts_[core_].banks.push_back(banks_.at(address)); }

  /// Cycles that each loses by the other, of those that it takes by itself.
  std::array<double, 2> shares_lost() const;

 private:
  struct Block {
    std::vector<FetchedStep> steps;
    uint32_t first = 0;   ///< address
    uint32_t cycles = 0;  ///< about
    uint32_t accesses = 0;
  };
  /// How a block was passed.
  struct Passage {
    const PipelineState* entry = nullptr;  ///< of one block alone
    uint32_t left_for = 0, accesses = 0;

    bool operator==(const Passage&) const = default;
    struct Hash {
      size_t operator()(const Passage& passage) const;
    };
  };
  struct Part {
    std::vector<uint32_t> blocks;  ///< as they ran, of blocks_
    std::vector<uint8_t> banks;    ///< of loads and stores
    size_t told = 0;               ///< of these, in `blocks`
    uint64_t cycles = 0;           ///< about
  };
  struct Place {
    size_t block = 0, access = 0;
    uint64_t cycles = 0;  ///< about
  };
  class Side;

  struct Met {
    std::array<Place, 2> to;           ///< the last block's end that each came to
    std::array<uint64_t, 2> cycles{};  ///< … and when
  };
  Met run_together(const std::array<Place, 2>& from, uint64_t limit) const;
  /// What the rules of timing say, where they are of a core that fetches as it is done here.
  uint64_t run_alone(size_t core, const Place& from, const Place& to) const;
  Place later(size_t core, Place from, uint64_t cycles) const;

  TimingModel timing_;
  BankMap banks_;
  std::vector<Block> blocks_;
  std::unordered_map<Passage, uint32_t, Passage::Hash> known_;  ///< of blocks_
  std::array<Part, 2> parts_;
  size_t core_ = 0;
};

}  // namespace tinytune
