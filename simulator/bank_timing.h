// The cycles that a core loses to fetches that collide with its own loads and stores in a bank.
//
// The graph of blocks (block_graph.h) counts without collisions. This follows the same blocks with
// the banks of their accesses, and adds the difference. A block with the same state, exit and banks
// of its accesses costs the same, which is cached.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <unordered_map>
#include <vector>

#include "simulator/block_graph.h"
#include "simulator/fetch_stream.h"
#include "simulator/simulator.h"
#include "simulator/timing_model.h"

namespace tinytune {

class BankTiming {
 public:
  BankTiming(const Device& device, const TimingModel& timing);

  /// Returns whether code in `filled` may share banks with data: with a writable memory, or with
  /// another range of `filled`.
  bool meets(std::span<const AddressRange> filled) const;

  /// Empties the cache, because the code has changed.
  void clear();
  /// Starts a call, with nothing fetched.
  void begin();
  void access(uint32_t address) { data_banks_.push_back(banks_.at(address)); }
  /// Charges the losses of the current block of `graph`, which it leaves for `address`.
  void leave_for(uint32_t address, BlockGraph& graph);
  /// Returns the sum of these charges since the call began, modulo 2^64.
  uint64_t charged() const { return charged_; }

 private:
  /// Returns the extra cycles of `block` with the accesses since the last call, compared with the
  /// block alone entered in `entry`. May be negative; the sum of a run is not.
  int64_t leave(std::span<const Instruction> block, const BlockExit& exit,
                const PipelineState& entry);

  struct State {
    PipelineState pipeline;
    FetchStream stream;
    bool operator==(const State&) const = default;
  };
  struct Step {
    uint32_t block = 0, target = 0;
    bool taken = false;
    uint32_t from = 0;
    PipelineState entry;
    std::vector<uint8_t> data_banks;
    bool operator==(const Step&) const = default;
    uint64_t hash() const;
  };
  struct Outcome {
    uint32_t to = 0;
    int64_t more = 0;
  };
  struct HashOf {
    uint64_t operator()(const Step& step) const { return step.hash(); }
  };
  uint32_t number_of(const State& state);

  TimingModel timing_;
  BankMap banks_;
  std::vector<AddressRange> writable_;  ///< memories with banks
  std::vector<uint8_t> data_banks_;
  std::deque<State> states_;
  std::unordered_multimap<uint64_t, uint32_t> state_index_;  ///< hash to position
  std::unordered_map<Step, Outcome, HashOf> known_;
  Step step_;  ///< kept for its memory
  uint64_t charged_ = 0;
  bool begun_ = false;
};

}  // namespace tinytune
