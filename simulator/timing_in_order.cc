// Where a simple core fetches from next, and what that costs: misaligned targets, and a branch
// target buffer of one entry, as in Hazard3 (found and checked against its RTL).
//
// The buffer holds one backward conditional branch, the last that was taken. When fetching runs
// into that branch's word, it goes on at the target without waiting for the branch; if the branch
// then falls through, fetching must come back, which is a jump like any other, and the entry is
// gone. Only fetches that run on are looked up: the word that a jump lands in is not, unless the
// buffer made that jump. A loop so small that its head shares a word with its branch is never
// predicted.
#include "simulator/timing_model.h"

namespace tinytune {
namespace {

constexpr uint32_t word_of(uint32_t address) { return address >> 2; }

}  // namespace

int32_t TimingModel::redirect(const Instruction& last, const BlockExit& exit,
                              PipelineState& state) const {
  // A core without the buffer says so by equal cycles; then its state stays one.
  const bool has_buffer = cycles_.branch_predicted != cycles_.branch_taken ||
                          cycles_.branch_mispredicted != cycles_.branch_not_taken;
  const bool predicted =
      has_buffer && state.predicted_branch == last.address && !state.landed_beside;
  int32_t cycles = 0;
  if (predicted && exit.taken) {
    cycles = static_cast<int32_t>(cycles_.branch_predicted - cycles_.branch_taken);
  } else if (predicted) {
    cycles = static_cast<int32_t>(cycles_.branch_mispredicted - cycles_.branch_not_taken);
    state.predicted_branch = PipelineState::kNoBranch;
  } else if (has_buffer && exit.taken && last.conditional && last.backward) {
    state.predicted_branch = last.address;
  }
  const bool elsewhere = exit.taken || predicted;
  if (elsewhere && exit.target_straddles) cycles += static_cast<int32_t>(cycles_.misaligned_target);
  const bool by_jump = elsewhere ? !(predicted && exit.taken) : state.landed_beside;
  state.landed_beside = by_jump && word_of(exit.target) == word_of(state.predicted_branch) &&
                        state.predicted_branch != PipelineState::kNoBranch;
  return cycles;
}

}  // namespace tinytune
