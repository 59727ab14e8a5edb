// An in-order Armv8.1-M core with Helium (Cortex-M55, M85): two halves of a vector in two cycles.
//
// A vector instruction holds its unit, of loads, of stores, of products or of integers, for two
// cycles, but the next one issues a cycle later if its unit is another: the halves of neighbours
// overlap. What reads a vector follows the half that it needs. Scalar instructions issue in
// between, on a core that pairs them two at once. The end of a low-overhead loop costs nothing from
// the second turn on.
//
// A cycle is paid for by the instruction that opens it; one that pairs with it is free.
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

/// Whether `second` issues beside `first`, operands aside. A core that pairs everything it can has
/// two pipes for all but products; the other takes short instructions with little to do second.
bool may_pair(const Instruction& first, const Instruction& second, const Footprint& of,
              bool pairs_all) {
  if (first.vector || first.words > 1 || second.words > 1) return false;
  if (first.kind >= InstructionKind::kBranch || first.kind == InstructionKind::kDivide ||
      second.kind == InstructionKind::kDivide)
    return false;
  if (pairs_all) {
    if (second.vector) return is_vector_memory(of);
    return !(first.is_multiply() && second.is_multiply()) && !second.complex;
  }
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
    if (state_.slot_open && may_pair(state_.first, i, of, cycles_.issue_width == 2) &&
        stall_of(i, of) == 0) {
      close();
    } else {
      if (state_.cycle_open) advance(1);
      const uint32_t stall = stall_of(i, of);
      advance(stall);
      cycles = 1 + stall;
      state_.cycle_open = state_.slot_open = true;
      state_.first = i;
      state_.first.address = state_.first.vector_code = 0;
    }
    const bool vector = i.vector && of.unit != Unit::kCore;
    vector ? leave_vector(i, of) : leave_scalar(i);
    const uint32_t more = more_cycles(i, of, taken);
    if (more == 0) return cycles;
    advance(more);
    close();
    return cycles + more;
  }

 private:
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

  uint32_t stall_of(const Instruction& i, const Footprint& of) const {
    uint32_t stall = 0;
    const uint64_t early = i.address_reads | (i.shifted ? i.reads & ~i.late_reads : 0);
    const bool base_only = i.vector && is_vector_memory(of);
    const uint64_t summed = of.result == Result::kSum ? i.reads & i.writes : 0;
    for (uint64_t left = i.reads & 0xFFFFFFFF; left != 0; left &= left - 1) {
      const auto reg = static_cast<size_t>(std::countr_zero(left));
      uint32_t wait = state_.wait[reg];
      if (wait > 0 && (base_only || (early >> reg & 1) != 0)) wait += cycles_.address_use;
      if ((summed >> reg & 1) != 0) wait -= std::min(wait, cycles_.accumulator_late);
      stall = std::max(stall, wait);
    }
    for (uint32_t left = of.reads; left != 0; left &= left - 1)
      stall = std::max<uint32_t>(stall, work_.ready[static_cast<size_t>(std::countr_zero(left))]);
    if (holds_unit(of)) {
      const size_t unit = of.unit == Unit::kLogic ? size_t{3} : unit_of(of);
      stall = std::max<uint32_t>(stall, work_.unit[unit]);
    }
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

  // Elements of a gather come two a cycle.
  uint32_t occupancy(const Footprint& of) const {
    return of.result == Result::kGathered ? std::max(of.elements / 2, 2u) : 2;
  }

  void leave_vector(const Instruction& i, const Footprint& of) {
    const bool memory = is_vector_memory(of);
    const uint32_t late = of.result == Result::kGathered ? occupancy(of) : latency(of.result);
    for (uint32_t left = of.writes; left != 0; left &= left - 1)
      work_.ready[static_cast<size_t>(std::countr_zero(left))] =
          static_cast<VectorPipeline::Time>(late);
    for (uint64_t left = i.writes & 0xFFFFFFFF; left != 0; left &= left - 1)
      state_.wait[static_cast<size_t>(std::countr_zero(left))] =
          static_cast<uint8_t>(memory ? 1 : latency(of.result));
    if (holds_unit(of))
      work_.unit[of.unit == Unit::kLogic ? size_t{3} : unit_of(of)] =
          static_cast<VectorPipeline::Time>(occupancy(of));
    state_.after_store = cycles_.bank_wait != 0 && of.unit == Unit::kStore;
  }

  void leave_scalar(const Instruction& i) {
    uint32_t late = 1;
    if (i.is_load()) late += i.narrow ? cycles_.narrow_load_use : cycles_.load_use;
    if (i.is_multiply()) late += cycles_.multiply_use;
    if (i.shifted || i.complex) late += cycles_.shift_use;
    const uint64_t base =
        std::popcount(i.writes) > i.words || i.is_store() ? i.writes & i.address_reads : 0;
    for (uint64_t left = i.writes & 0xFFFFFFFF; left != 0; left &= left - 1) {
      const auto reg = static_cast<size_t>(std::countr_zero(left));
      state_.wait[reg] = static_cast<uint8_t>((base >> reg & 1) != 0 ? 1 : late);
    }
    state_.after_store = cycles_.bank_wait != 0 && i.is_store();
  }

  uint32_t more_cycles(const Instruction& i, const Footprint& of, bool taken) const {
    uint32_t more = 0;
    if (i.kind == InstructionKind::kDivide) more = cycles_.divide - 1;
    if (i.words > 1)
      more = (i.words + cycles_.transfer_registers - 1) / cycles_.transfer_registers - 1;
    const bool jumps = i.kind >= InstructionKind::kBranch || (taken && i.ends_block);
    if (!jumps || of.unit == Unit::kLoop) return more;
    const bool indirect =
        i.kind == InstructionKind::kJumpIndirect || i.kind < InstructionKind::kBranch;
    if (taken) return more + (indirect ? cycles_.jump_indirect : cycles_.branch_taken) - 1;
    return more + (i.kind == InstructionKind::kBranch && i.backward ? cycles_.mispredict : 0);
  }

  // From the second turn on it has been seen before it is fetched.
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
