// Where a simple core fetches from next, and what that costs: misaligned targets, and a branch
// target buffer of one entry, as in Hazard3 (found and checked against its RTL).
//
// The buffer holds one backward conditional branch, the last that was taken. When fetching runs
// into that branch's word, it goes on at the target without waiting for the branch; if the branch
// then falls through, fetching must come back, which is a jump like any other, and the entry is
// gone. Only fetches that run on are looked up: the word that a jump lands in is not, unless the
// buffer made that jump. A loop so small that its head shares a word with its branch is never
// predicted.
#include <algorithm>

#include "simulator/timing_model.h"

namespace tinytune {
namespace {

constexpr uint32_t word_of(uint32_t address) { return address >> 2; }

/// Whether fetching is so far ahead of the branch that ends `block` that it has both words of a
/// misaligned target in time. Short instructions let it get ahead: one right before a branch that
/// stands in one word, two among the four before a branch that stands in two. (Found with whole
/// programs; the depth of the queue is not known.)
bool fetched_ahead(std::span<const Instruction> block) {
  const Instruction& branch = block.back();
  const bool in_one_word = branch.address % 4 == 0 || branch.size_bytes == 2;
  const size_t shorts_needed = in_one_word ? 1 : 2, window = in_one_word ? 1 : 4;
  const size_t before = block.size() - 1;
  if (before < std::max(window, size_t{2}) || block[before - 1].size_bytes != 2) return false;
  const auto nearest = block.subspan(before - window, window);
  return static_cast<size_t>(std::count_if(nearest.begin(), nearest.end(), [](const auto& i) {
           return i.size_bytes == 2;
         })) >= shorts_needed;
}

}  // namespace

int32_t TimingModel::redirect(std::span<const Instruction> block, const BlockExit& exit,
                              PipelineState& state) const {
  const Instruction& last = block.back();
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
  const bool has_time = predicted && exit.taken && fetched_ahead(block);
  if (elsewhere && exit.target_straddles && !has_time)
    cycles += static_cast<int32_t>(cycles_.misaligned_target);
  const bool by_jump = elsewhere ? !(predicted && exit.taken) : state.landed_beside;
  state.landed_beside = by_jump && word_of(exit.target) == word_of(state.predicted_branch) &&
                        state.predicted_branch != PipelineState::kNoBranch;
  return cycles;
}

}  // namespace tinytune
