// In-order Armv8.1-M cores with Helium (Cortex-M55, M85): two halves of a vector in two cycles.
//
// A vector instruction occupies its unit (load, store, multiply or integer) for two cycles, but the
// next one issues a cycle later if it uses another unit: the halves of neighbours overlap. A reader
// of a vector waits only for the half that it needs. Scalar instructions issue in between, two at
// once on a core that pairs them. The end of a low-overhead loop costs nothing from the second
// iteration on.
//
// A core that pairs (Cortex-M85) executes arithmetic in the first of three stages that has its
// operands; the next stage can read the result, for the next instruction in the same cycle. Waits
// count stages from the first one on, which are cycles as well: an instruction that reads in a
// later stage issues that much earlier.
//
// A cycle is charged to the instruction that opens it; one that pairs with it is free.
#include <algorithm>
#include <bit>

#include "simulator/helium/footprint.h"
#include "simulator/timing_model.h"

namespace tinytune {
namespace {

using helium::Footprint;
using Unit = Footprint::Unit;
using Result = Footprint::Result;

constexpr size_t kUnits = 4;  // load, store, multiply, integer: as Footprint numbers them

bool is_vector_memory(const Footprint& of) {
  return of.unit == Unit::kLoad || of.unit == Unit::kStore;
}

/// Returns whether at most one of a pair may be like `i`: packed, bit field or vector arithmetic.
bool takes_first_slot(const Instruction& i) {
  return i.complex || (i.vector && !i.is_load() && !i.is_store());
}

/// Pairing rules with an issue_width of 2, operands aside.
bool may_pair_widely(const Instruction& first, const Instruction& second, const Footprint& of) {
  const bool doubles = first.words == 2 && second.words == 2 && first.kind == second.kind;
  if (first.words > 2 || second.words > 2 || doubles) return false;
  if (first.kind == InstructionKind::kDivide || second.kind == InstructionKind::kDivide)
    return false;
  if (first.kind >= InstructionKind::kBranch || of.result == Result::kGathered) return false;
  if (takes_first_slot(first) && takes_first_slot(second)) return false;
  if (!first.vector && !second.vector) return !(first.is_multiply() && second.is_multiply());
  const bool ports = first.is_load() || first.is_store();  // two pipes each, a vector takes both
  if (first.vector && ports) return false;
  return first.vector != second.vector && !(ports && first.kind == second.kind);
}

/// Pairing rules with an issue_width of 1: 16-bit instructions, the second a simple one.
bool may_pair_narrowly(const Instruction& first, const Instruction& second) {
  if (first.vector || first.words > 1 || second.words > 1) return false;
  if (first.kind >= InstructionKind::kBranch || first.kind == InstructionKind::kDivide ||
      second.kind == InstructionKind::kDivide)
    return false;
  if (second.vector || first.size_bytes != 2 || second.size_bytes != 2) return false;
  if (second.kind >= InstructionKind::kBranch) return true;
  return second.kind == InstructionKind::kAlu && std::popcount(second.reads & 0xFFFF) <= 1;
}

class Core {
 public:
  Core(const TimingCycles& cycles, PipelineState& state)
      : cycles_(cycles), state_(state), work_(state.vectors.get()) {}

  void leave() { state_.vectors.set(work_); }

  uint32_t issue(const Instruction& i, bool taken) {
    const Footprint of = i.vector ? helium::footprint_of(i.vector_code) : Footprint();
    if (of.unit == Unit::kLoop) return end_loop(i, taken);
    uint32_t cycles = 0;
    if (state_.slot_open && may_pair(i, of) && stall_of(i, of) == 0) {
      close();
    } else {
      if (state_.cycle_open) advance(1);
      const uint32_t stall = stall_of(i, of);
      advance(stall);
      cycles = 1 + stall;
      state_.cycle_open = state_.slot_open = true;
      state_.first = i;
      state_.first.address = state_.first.vector_code = 0;
      state_.first.vector = is_vector(i, of);
    }
    is_vector(i, of) ? leave_vector(i, of) : leave_scalar(i);
    const uint32_t more = more_cycles(i, of, taken);
    if (more == 0) return cycles;
    advance(more);
    close();
    return cycles + more;
  }

 private:
  static bool is_vector(const Instruction& i, const Footprint& of) {
    return i.vector && of.unit != Unit::kCore;
  }

  bool may_pair(Instruction second, const Footprint& of) const {
    second.vector = is_vector(second, of);
    return wide() ? may_pair_widely(state_.first, second, of)
                  : may_pair_narrowly(state_.first, second);
  }

  void close() {
    state_.slot_open = false;
    state_.first = Instruction();
  }

  void advance(uint32_t cycles) {
    const auto pass = [&](auto& wait) {
      using Wait = std::remove_reference_t<decltype(wait)>;
      wait = static_cast<Wait>(wait > cycles ? wait - cycles : 0);
    };
    for (auto& wait : state_.wait) pass(wait);
    for (auto& wait : state_.late_wait) pass(wait);
    for (size_t q = 0; q < 8; ++q) pass(work_.ready[q]);
    for (auto& wait : work_.unit) pass(wait);
  }

  size_t unit_of(const Footprint& of) const {
    if (of.unit == Unit::kStore && cycles_.store_unit == 0) return 0;
    return static_cast<size_t>(of.unit);
  }

  bool holds_unit(const Footprint& of) const {
    return static_cast<size_t>(of.unit) < kUnits || (of.unit == Unit::kLogic && !wide());
  }
  bool wide() const { return cycles_.issue_width == 2; }

  /// Returns the stage, from 0, in which `i` reads the operand `bit`.
  uint32_t stage_of(const Instruction& i, const Footprint& of, uint64_t bit) const {
    const uint32_t last = cycles_.late_stages;
    if (last == 0 || (i.address_reads & bit) != 0 || i.kind == InstructionKind::kDivide) return 0;
    if (is_vector(i, of)) {
      if (is_vector_memory(of)) return 0;
      return of.result == Result::kSum ? last - 1 + cycles_.accumulator_late : last;
    }
    if (i.is_multiply() || i.shifted) return (i.late_reads & bit) != 0 ? last : last - 1;
    return i.complex ? last - 1 : last;
  }

  /// Returns the stages until `reg` is ready for `i`, less those until `i` reads it.
  uint32_t operand_stall(const Instruction& i, const Footprint& of, size_t reg) const {
    const uint64_t bit = uint64_t{1} << reg;
    const bool added = i.is_multiply() && (i.late_reads & bit) != 0;
    const bool late = cycles_.late_stages != 0 && (is_vector(i, of) || added);
    uint32_t wait = std::max(state_.wait[reg], late ? state_.late_wait[reg] : uint8_t{0});
    const uint64_t early = i.address_reads | (i.shifted ? i.reads & ~i.late_reads : 0);
    const bool base = i.vector && is_vector_memory(of);
    if (wait > 0 && (base || (early & bit) != 0)) wait += cycles_.address_use;
    const bool summed = of.result == Result::kSum && (i.writes & bit) != 0;
    if (cycles_.late_stages == 0 && summed) wait -= std::min(wait, cycles_.accumulator_late);
    return wait - std::min(wait, stage_of(i, of, bit));
  }

  uint32_t stall_of(const Instruction& i, const Footprint& of) const {
    uint32_t stall = 0;
    for (uint64_t left = i.reads & 0xFFFFFFFF; left != 0; left &= left - 1)
      stall = std::max(stall, operand_stall(i, of, static_cast<size_t>(std::countr_zero(left))));
    const uint32_t late = of.unit == Unit::kStore ? cycles_.store_late : 0;
    for (uint32_t left = of.reads; left != 0; left &= left - 1) {
      const uint32_t ready = work_.ready[static_cast<size_t>(std::countr_zero(left))];
      stall = std::max(stall, ready - std::min(ready, late));
    }
    if (holds_unit(of)) {
      const size_t unit = of.unit == Unit::kLogic ? size_t{3} : unit_of(of);
      stall = std::max<uint32_t>(stall, work_.unit[unit]);
    }
    // Beside the second half of a vector load or store only vector instructions issue.
    const bool alone = wide() && (!is_vector(i, of) || of.result == Result::kGathered);
    if (alone) stall = std::max<uint32_t>({stall, work_.unit[0], work_.unit[1]});
    const bool conflict = state_.after_store && of.unit == Unit::kLoad;
    return stall + (conflict ? cycles_.bank_wait : 0);
  }

  uint32_t latency(Result result) const {
    switch (result) {
      case Result::kRounded:
        return cycles_.vector_round;
      case Result::kNarrowed:
        return cycles_.vector_narrow;
      case Result::kProduct:
        return cycles_.vector_multiply;
      case Result::kSum:
        return cycles_.vector_sum;
      case Result::kMoved:
        return cycles_.vector_move;
      case Result::kStructure:
        return cycles_.vector_structure;
      default:
        return cycles_.vector_alu;
    }
  }

  // A gather takes two elements per cycle.
  uint32_t occupancy(const Footprint& of) const {
    return of.result == Result::kGathered ? std::max(of.elements / 2, 2u) : 2;
  }

  void leave_vector(const Instruction& i, const Footprint& of) {
    const bool memory = is_vector_memory(of);
    const uint32_t late = of.result == Result::kGathered ? occupancy(of) : latency(of.result);
    for (uint32_t left = of.writes; left != 0; left &= left - 1)
      work_.ready[static_cast<size_t>(std::countr_zero(left))] =
          static_cast<VectorPipeline::Time>(late);
    // Vector units begin in the second stage; an updated address is ready after the first.
    const uint32_t core = memory ? 1 : latency(of.result) + std::max(cycles_.late_stages, 1u) - 1;
    set_wait(i.writes, core, core);
    if (holds_unit(of))
      work_.unit[of.unit == Unit::kLogic ? size_t{3} : unit_of(of)] =
          static_cast<VectorPipeline::Time>(occupancy(of));
    state_.after_store = cycles_.bank_wait != 0 && of.unit == Unit::kStore;
  }

  void set_wait(uint64_t registers, uint32_t wait, uint32_t late_wait) {
    for (uint64_t left = registers & 0xFFFFFFFF; left != 0; left &= left - 1) {
      const auto reg = static_cast<size_t>(std::countr_zero(left));
      state_.wait[reg] = static_cast<uint8_t>(wait);
      state_.late_wait[reg] = static_cast<uint8_t>(cycles_.late_stages == 0 ? 0 : late_wait);
    }
  }

  /// Returns the stage that executes arithmetic: the first that has its operands.
  uint32_t executed_in(const Instruction& i) const {
    uint32_t stage = i.complex || i.shifted ? 1 : 0;
    for (uint64_t left = i.reads & 0xFFFFFFFF; left != 0; left &= left - 1)
      stage = std::max<uint32_t>(stage, state_.wait[static_cast<size_t>(std::countr_zero(left))]);
    return std::min(stage, cycles_.late_stages);
  }

  void leave_scalar(const Instruction& i) {
    uint32_t late = std::max(cycles_.late_stages, 1u);
    const bool arithmetic = !i.is_load() && !i.is_multiply();
    if (arithmetic && cycles_.late_stages != 0) late = executed_in(i) + 1;
    if (i.is_load()) late += i.narrow ? cycles_.narrow_load_use : cycles_.load_use;
    if (i.is_multiply()) late += cycles_.multiply_use;
    if (i.shifted || i.complex) late += cycles_.shift_use;
    const uint64_t base =
        std::popcount(i.writes) > i.words || i.is_store() ? i.writes & i.address_reads : 0;
    set_wait(i.writes & ~base, late, i.is_load() ? late + 1 : late);
    set_wait(base, 1, 1);
    state_.after_store = cycles_.bank_wait != 0 && i.is_store();
  }

  uint32_t more_cycles(const Instruction& i, const Footprint& of, bool taken) const {
    uint32_t more = 0;
    if (i.kind == InstructionKind::kDivide) more = cycles_.divide - 1;
    if (wide() && of.result == Result::kGathered) more = occupancy(of) - 1;
    if (i.words > 1)
      more = (i.words + cycles_.transfer_registers - 1) / cycles_.transfer_registers - 1;
    const bool jumps = i.kind >= InstructionKind::kBranch || (taken && i.ends_block);
    if (!jumps || of.unit == Unit::kLoop) return more;
    const bool indirect =
        i.kind == InstructionKind::kJumpIndirect || i.kind < InstructionKind::kBranch;
    if (taken) return more + (indirect ? cycles_.jump_indirect : cycles_.branch_taken) - 1;
    const bool unlikely = i.kind == InstructionKind::kBranch && i.backward;
    return more + (unlikely && cycles_.branch_history == 0 ? cycles_.mispredict : 0);
  }

  // From the second iteration on, the core knows the end before it is fetched.
  uint32_t end_loop(const Instruction& i, bool taken) {
    const bool known = state_.predicted_branch == i.address;
    if (!taken || known) return 0;
    state_.predicted_branch = i.address;
    if (state_.cycle_open) advance(1);
    advance(cycles_.loop_first - 1);
    close();
    state_.cycle_open = true;
    return cycles_.loop_first;
  }

  const TimingCycles& cycles_;
  PipelineState& state_;
  VectorPipeline work_;
};

}  // namespace

uint32_t TimingModel::run_helium(std::span<const Instruction> block, const BlockExit& exit,
                                 PipelineState& state) const {
  Core core(cycles_, state);
  uint32_t cycles = 0;
  for (size_t i = 0; i < block.size(); ++i)
    cycles += core.issue(block[i], exit.taken && i + 1 == block.size());
  core.leave();
  return cycles;
}

}  // namespace tinytune
