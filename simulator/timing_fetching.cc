// Cycles of a block whose fetches may be delayed: an instruction executes once both its code and
// its operands are there. Execution follows the rules of the timing model, except for jumps: here a
// jump takes as long as fetching its target does.
#include <algorithm>

#include "simulator/timing_model.h"

namespace tinytune {

uint32_t TimingModel::run_fetching(std::span<const Instruction> block, const BlockExit& exit,
                                   PipelineState& state, FetchStream& stream, const BankMap& banks,
                                   std::span<const uint8_t> data_banks) const {
  uint32_t cycles = 0;
  size_t access = 0;
  const auto wait = [&] {
    stream.advance({}, banks, cycles_.bank_wait);
    ++cycles;
  };
  const auto wait_for = [&](unsigned halves) {
    for (; stream.decodable() < halves; wait())
      for (uint8_t& late : state.wait) late = static_cast<uint8_t>(late - (late > 0));
  };
  for (size_t i = 0; i < block.size(); ++i) {
    const Instruction& now = block[i];
    const unsigned halves = now.size_bytes / 2u;
    wait_for(halves);
    const bool taken = exit.taken && i + 1 == block.size();
    const bool foreseen = stream.takes_foreseen(now.address);
    const uint32_t away = taken ? single_cycles(now, taken, state) - 1 : 0;
    const uint32_t executes = issue_single(now, taken, state) - away;
    for (uint32_t c = 1; c < executes; ++c) wait();
    FetchStream::Cycle last{static_cast<uint8_t>(halves), BankMap::kNone, FetchStream::kNowhere};
    if (taken && !foreseen) last.jump_to = exit.target;
    if ((foreseen && !taken) || now.flushes) last.jump_to = now.address + now.size_bytes;
    if (last.jump_to != FetchStream::kNowhere)
      while (stream.holds()) wait();
    if ((now.is_load() || now.is_store()) && access < data_banks.size())
      last.data_bank = data_banks[access];
    if (now.is_load() || now.is_store()) access += now.atomic ? 2 : now.words;
    stream.advance(last, banks, cycles_.bank_wait);
    ++cycles;
    if ((foreseen && !taken) || now.flushes) stream.forget();
    if (taken && !foreseen && now.conditional && now.backward)
      stream.foresee(now.address, now.size_bytes == 4, exit.target);
    // Charges the jump with fetching its target, as the rules do, so that a counter read at the
    // target has the same value.
    if (taken || foreseen) wait_for(exit.target_straddles ? 2 : 1);
  }
  return cycles;
}

std::vector<FetchedStep> TimingModel::fetched_steps(std::span<const Instruction> block,
                                                    const BlockExit& exit,
                                                    PipelineState state) const {
  std::vector<FetchedStep> steps;
  for (size_t i = 0; i < block.size(); ++i) {
    const Instruction& now = block[i];
    FetchedStep& step = steps.emplace_back();
    step.address = now.address;
    step.target = exit.target;
    step.halves = static_cast<uint8_t>(now.size_bytes / 2);
    step.taken = exit.taken && i + 1 == block.size();
    step.trains = has_buffer() && now.conditional && now.backward;
    step.flushes = now.flushes;
    if (now.is_load() || now.is_store()) step.accesses = now.atomic ? 2 : now.words;
    PipelineState ready = state;
    ready.wait.fill(0);
    ready.late_wait.fill(0);
    const uint32_t away = step.taken ? single_cycles(now, true, state) - 1 : 0;
    const uint32_t soonest = issue_single(now, step.taken, ready);
    const uint32_t cycles = issue_single(now, step.taken, state);
    step.late = static_cast<uint8_t>(cycles - std::min(cycles, soonest));
    step.cycles = static_cast<uint8_t>(std::max(soonest - std::min(soonest, away), 1u));
  }
  return steps;
}

}  // namespace tinytune
