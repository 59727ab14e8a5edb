// The Cortex-M7's pairing rules, as measured by jnk0le on an STM32H743 (repository jnk0le/random,
// "pipeline cycle test/doc/cortex_m7.md").
//
// A cycle is charged to the instruction that opens it; one that pairs with it is free. A register
// has two waits, for two kinds of consumers: simple arithmetic can execute in the late unit, and so
// takes a result one cycle sooner than multipliers, shifters and addresses do.
#include <algorithm>
#include <bit>

#include "simulator/timing_model.h"

namespace tinytune {
namespace {

constexpr uint64_t kFlags = uint64_t{1} << 16;  // as arm_m.cc numbers them
constexpr uint8_t kFlagsEarly = 3;              // cycles after which a branch on them costs less

template <typename Visit>
void for_each_register(uint64_t mask, Visit visit) {
  for (mask &= 0xffffffff; mask != 0; mask &= mask - 1) visit(std::countr_zero(mask));
}

void advance(PipelineState& state, uint32_t cycles) {
  for (uint8_t* const wait : {&state.store_wait, &state.flags_wait})
    *wait = *wait > cycles ? static_cast<uint8_t>(*wait - cycles) : uint8_t{0};
  for (auto* waits : {&state.wait, &state.late_wait}) {
    for (uint8_t& wait : *waits) {
      wait = wait > cycles ? static_cast<uint8_t>(wait - cycles) : uint8_t{0};
    }
  }
}

/// Returns whether the hardware can issue `second` beside `first`, operands aside.
bool may_pair(const Instruction& first, const Instruction& second) {
  if (first.words > 1 || second.words > 1) return false;
  if (first.is_float() || second.is_float()) return false;  // unsourced
  if (first.kind == InstructionKind::kDivide || second.kind == InstructionKind::kDivide) {
    return false;
  }
  if (first.is_multiply() && second.is_multiply()) return false;
  if ((first.is_multiply() && second.is_store()) || (first.is_store() && second.is_multiply())) {
    return false;
  }
  if (first.is_store() && second.is_store()) return false;
  if (first.is_load() && second.is_load()) {
    // Needs the two banks of even and odd words: only provable from one base and two constants.
    return first.offset >= 0 && second.offset >= 0 && first.address_reads == second.address_reads &&
           (first.writes & second.address_reads) == 0 && ((first.offset ^ second.offset) & 4) != 0;
  }
  if (first.complex && second.complex) return false;
  return first.kind < InstructionKind::kBranch || second.kind < InstructionKind::kBranch;
}

/// Returns the operands read late enough for a result of the same or the previous cycle.
uint64_t late_reads(const Instruction& i) {
  if (i.is_multiply()) return i.late_reads;
  if (i.is_store()) return i.reads & ~i.address_reads;
  if (i.kind == InstructionKind::kBranch) return i.reads;
  if (i.kind != InstructionKind::kAlu) return 0;
  return i.complex || i.shifted ? i.late_reads : i.reads;
}

uint32_t stall_of(const Instruction& i, const PipelineState& state) {
  const uint64_t late = late_reads(i);
  uint32_t stall = i.is_store() ? state.store_wait : 0;
  for_each_register(i.reads & late,
                    [&](int reg) { stall = std::max<uint32_t>(stall, state.late_wait[reg]); });
  for_each_register(i.reads & ~late,
                    [&](int reg) { stall = std::max<uint32_t>(stall, state.wait[reg]); });
  return stall;
}

}  // namespace

uint32_t TimingModel::mispredict_cycles(const PipelineState& state) const {
  return state.flags_wait > 0 ? cycles_.mispredict : cycles_.mispredict_early;
}

uint32_t TimingModel::issue_dual(const Instruction& i, bool taken, PipelineState& state) const {
  uint32_t cycles = 0;
  if (state.slot_open && may_pair(state.first, i) && stall_of(i, state) == 0) {
    state.slot_open = false;
    state.first = Instruction();
  } else {
    // Advances to the next cycle, and then until the operands are ready.
    if (state.cycle_open) advance(state, 1);
    const uint32_t stall = stall_of(i, state) + float_stall(i, state);
    advance(state, stall);
    cycles += 1 + stall;
    state.cycle_open = state.slot_open = true;
    state.first = i;
    state.first.address = 0;
  }

  // Simple arithmetic on a result that is ready only for the late unit executes there, and delivers
  // its own result one cycle later.
  uint32_t late = 0, early = 1;
  for_each_register(late_reads(i), [&](int reg) {
    if (i.kind == InstructionKind::kAlu && state.wait[reg] > 0) late = 1;
  });
  if (i.complex || i.shifted) late = 1;
  early = std::max(early + late, cycles_.address_use + (i.complex ? 1 : 0));
  const uint64_t base = std::popcount(i.writes) > i.words ? i.writes & i.address_reads : 0;
  if (i.is_load()) {
    late = i.narrow ? cycles_.narrow_load_use : cycles_.load_use;
    early = late + 1;
  } else if (i.is_multiply()) {
    late = 1;  // to the next accumulator and other late readers
    early = cycles_.multiply_use;
  }
  for_each_register(i.writes, [&](int reg) {
    const bool updated_base = i.is_store() || (base >> reg & 1) != 0;
    state.wait[reg] = static_cast<uint8_t>(updated_base ? 1 : early);
    state.late_wait[reg] = static_cast<uint8_t>(updated_base ? 0 : late);
  });

  if (i.is_store() && i.narrow) state.store_wait = static_cast<uint8_t>(cycles_.narrow_store);

  // In further cycles of an instruction nothing else issues.
  uint32_t more = 0;
  if (i.kind == InstructionKind::kDivide) more = cycles_.divide - 1;
  if (i.words > 1) more = (i.words + 1u) / 2 - 1;
  if (i.is_float() && !i.is_load() && !i.is_store()) more = float_cycles(i) - 1;
  if (taken && (i.kind == InstructionKind::kJumpIndirect || i.kind < InstructionKind::kBranch)) {
    more += cycles_.jump_indirect - 1;
  }
  state.after_float = i.floating > FloatKind::kMove;
  state.just_written = state.after_float ? i.writes : 0;
  if ((i.writes & kFlags) != 0) state.flags_wait = kFlagsEarly;
  if (i.kind == InstructionKind::kBranch && i.backward && !taken && cycles_.branch_history == 0)
    more += mispredict_cycles(state);
  if (more > 0 || i.words > 1 || i.kind == InstructionKind::kDivide) {
    advance(state, more);
    state.slot_open = false;
    state.first = Instruction();
  }
  return cycles + more;
}

uint8_t TimingModel::mispredicted(std::span<const Instruction> block, PipelineState state) const {
  if (cycles_.branch_history == 0 || block.empty()) return 0;
  const Instruction& last = block.back();
  if (last.kind != InstructionKind::kBranch || last.vector) return 0;  // LE never mispredicts
  if (model_ == Model::kHelium) return static_cast<uint8_t>(cycles_.mispredict);
  run(block, BlockExit(), state);
  return static_cast<uint8_t>(std::min<uint32_t>(mispredict_cycles(state), 255));
}

}  // namespace tinytune
