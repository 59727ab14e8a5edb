// Cost of redirected fetching in a simple core: misaligned targets, and a branch target buffer of
// one entry, as in Hazard3 (found and checked against its RTL).
//
// The buffer holds one backward conditional branch, the last one taken. When sequential fetching
// reaches that branch's word, it goes on at the target without waiting for the branch. If the
// branch then falls through, fetching must return, which costs as any jump does, and the entry is
// dropped. Only sequential fetches are looked up: the word that a jump lands in is not, unless the
// buffer made that jump. A loop so small that its head shares a word with its branch is never
// predicted.
//
// A misaligned target costs a cycle because its first word holds only half of it. After a predicted
// branch that half may have been fetched already: three half words can wait for decoding, and a
// word is taken as soon as there is room for its half words. So 16-bit instructions before the
// branch can hide the cycle; 32-bit ones never do.
#include "simulator/timing_model.h"

namespace tinytune {
namespace {

constexpr uint32_t word_of(uint32_t address) { return address >> 2; }

constexpr unsigned kRoom = 3;  // half words that wait for decoding, as in Hazard3

/// Takes one more word if there is room for its half words. `at`: the next instruction to decode.
void refill(PipelineState& state, uint32_t at) {
  const uint32_t next = at + 2u * state.buffered;  // the half word to fetch next
  const uint32_t end = state.predicted_branch + state.predicted_bytes;
  const bool ahead = state.predicted_branch != PipelineState::kNoBranch && !state.landed_beside &&
                     at <= state.predicted_branch;
  unsigned fresh = next % 4 == 0 ? 2 : 1;
  if (ahead && next >= end) {
    const uint32_t into = next - end + (state.predicted_odd ? 2 : 0);
    fresh = into % 4 == 0 ? 2 : 1;
  } else if (ahead && word_of(next) == word_of(end - 2)) {
    fresh = (end - next) / 2;
  }
  if (state.buffered + fresh <= kRoom) state.buffered += static_cast<uint8_t>(fresh);
}

}  // namespace

bool TimingModel::has_buffer() const {
  return cycles_.branch_predicted != cycles_.branch_taken ||
         cycles_.branch_mispredicted != cycles_.branch_not_taken;
}

void TimingModel::fetch_beside(const Instruction& i, uint32_t cycles, PipelineState& state) const {
  for (uint32_t wait = 1; wait < cycles && state.buffered < kRoom; ++wait) refill(state, i.address);
  const bool foreseen = state.predicted_branch == i.address && !state.landed_beside;
  const unsigned used = i.size_bytes / 2u;
  state.buffered = static_cast<uint8_t>(state.buffered > used ? state.buffered - used : 0);
  // After a predicted branch, code at its target is fetched.
  if (!foreseen) return refill(state, i.address + i.size_bytes);
  const unsigned held = state.buffered;
  const unsigned fresh = ((state.predicted_odd ? 2u : 0u) + 2 * held) % 4 == 0 ? 2 : 1;
  if (held + fresh <= kRoom) state.buffered = static_cast<uint8_t>(held + fresh);
}

int32_t TimingModel::redirect(const Instruction& last, const BlockExit& exit,
                              PipelineState& state) const {
  const bool predicted =
      has_buffer() && state.predicted_branch == last.address && !state.landed_beside;
  int32_t cycles = 0;
  if (predicted && exit.taken) {
    cycles = static_cast<int32_t>(cycles_.branch_predicted - cycles_.branch_taken);
  } else if (predicted) {
    cycles = static_cast<int32_t>(cycles_.branch_mispredicted - cycles_.branch_not_taken);
    state.predicted_branch = PipelineState::kNoBranch;
  } else if (has_buffer() && exit.taken && last.conditional && last.backward) {
    state.predicted_branch = last.address;
    state.predicted_bytes = last.size_bytes;
    state.predicted_odd = exit.target % 4 != 0;
  }
  if (last.flushes) state.predicted_branch = PipelineState::kNoBranch;
  const bool elsewhere = exit.taken || predicted;
  const bool awaited = !(predicted && exit.taken) || state.buffered < 2;
  if (elsewhere && exit.target_straddles && awaited)
    cycles += static_cast<int32_t>(cycles_.misaligned_target);
  if (elsewhere && has_buffer() && !(predicted && exit.taken))
    state.buffered = exit.target % 4 == 0 ? 2 : exit.target_straddles ? 3 : 1;
  else if (elsewhere && has_buffer() && exit.target_straddles && state.buffered < 2)
    state.buffered = static_cast<uint8_t>(state.buffered + 2);
  const bool by_jump = elsewhere ? !(predicted && exit.taken) : state.landed_beside;
  state.landed_beside = by_jump && word_of(exit.target) == word_of(state.predicted_branch) &&
                        state.predicted_branch != PipelineState::kNoBranch;
  return cycles;
}

}  // namespace tinytune
