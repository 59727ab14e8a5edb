#include "simulator/bank_timing.h"

#include <algorithm>

#include "base/hash.h"

namespace tinytune {
namespace {

constexpr size_t kMostKnown = size_t{1} << 18;

}  // namespace

uint64_t BankTiming::Step::hash() const {
  const uint64_t words[] = {uint64_t{block} << 32 | target, uint64_t{from} << 1 | uint64_t{taken},
                            entry.hash()};
  return Fnv1a()
      .add({reinterpret_cast<const uint8_t*>(words), sizeof words})
      .add(std::span<const uint8_t>(data_banks))
      .value();
}

BankTiming::BankTiming(const Device& device, const TimingModel& timing)
    : timing_(timing), banks_(device) {
  for (const MemoryRegion& memory : device.memories)
    if (memory.writable && !memory.banks.empty())
      writable_.push_back({memory.address, memory.size_bytes});
}

bool BankTiming::meets(std::span<const AddressRange> filled) const {
  if (!timing_.waits_for_banks()) return false;
  for (const AddressRange& code : filled) {
    const uint64_t wanted = banks_.all_at(code.address);
    const auto shares = [&](const AddressRange& data) {
      return (banks_.all_at(data.address) & wanted) != 0;
    };
    if (std::any_of(writable_.begin(), writable_.end(), shares)) return true;
    for (const AddressRange& other : filled)
      if (&other != &code && shares(other)) return true;
  }
  return false;
}

void BankTiming::clear() {
  known_.clear();
  states_.clear();
  state_index_.clear();
}

void BankTiming::begin() {
  data_banks_.clear();
  charged_ = 0;
  begun_ = false;
}

uint32_t BankTiming::number_of(const State& state) {
  const uint64_t hash = state.pipeline.hash() * 31 + state.stream.hash();
  const auto [begin, end] = state_index_.equal_range(hash);
  for (auto it = begin; it != end; ++it)
    if (states_[it->second] == state) return it->second;
  const auto number = static_cast<uint32_t>(states_.size());
  states_.push_back(state);
  state_index_.emplace(hash, number);
  return number;
}

void BankTiming::leave_for(uint32_t address, BlockGraph& graph) {
  const auto more =
      static_cast<uint64_t>(leave(graph.instructions(), graph.exit_to(address), graph.entry()));
  charged_ += more;
  graph.charge(more);
}

int64_t BankTiming::leave(std::span<const Instruction> block, const BlockExit& exit,
                          const PipelineState& entry) {
  if (!begun_) {
    // The first fetch happens before the call.
    FetchStream stream(block.empty() ? exit.target : block.front().address);
    stream.advance({}, banks_, 0);
    step_.from = number_of({PipelineState(), stream});
    begun_ = true;
  }
  if (block.empty()) return 0;
  if (known_.size() == kMostKnown) {
    const State now = states_[step_.from];
    clear();
    step_.from = number_of(now);
  }
  step_.block = block.front().address;
  step_.target = exit.target;
  step_.taken = exit.taken;
  step_.entry = entry;
  step_.data_banks.swap(data_banks_);
  data_banks_.clear();
  const auto [position, is_new] = known_.try_emplace(step_);
  Outcome& outcome = position->second;
  if (is_new) {
    PipelineState alone = entry;
    State state = states_[step_.from];
    const uint32_t cycles =
        timing_.run_fetching(block, exit, state.pipeline, state.stream, banks_, step_.data_banks);
    outcome.more = int64_t{cycles} - timing_.run(block, exit, alone);
    outcome.to = number_of(state);
  }
  step_.from = outcome.to;
  return outcome.more;
}

}  // namespace tinytune
