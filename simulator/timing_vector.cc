// An in-order core with a decoupled RISC-V vector unit: the structure of Vicuna (vproc).
//
// Core, queue and unit each have their own time. The core issues in order, limited by fetching; a
// vector instruction reaches the queue some cycles later, and the core stalls while it is full. The
// queue's head is dispatched when its unit is free and all earlier writes of its destination are
// done. In the unit it waits for its sources, then occupies the unit for as long as its widest
// operand takes through the pipe. Registers of a group become ready one after the other, and none
// is written while another unit has yet to read it. A vector load holds the core until its data is
// there, by when everything queued before it has been dispatched. Scalar loads and stores wait for
// the unit's stores.
//
// Times are in eighths of a cycle: such cores fetch lines of eight instructions, so that one of
// them costs no whole number of cycles. The remainder at a block's end carries over to the next.
#include <algorithm>
#include <bit>

#include "simulator/rvv/footprint.h"
#include "simulator/timing_model.h"

namespace tinytune {
namespace {

using rvv::Footprint;

constexpr uint32_t kParts = 8;  // steps of a cycle
enum UnitIndex : uint8_t { kMemoryUnit, kArithmeticUnit, kMultiplyUnit };

UnitIndex pipe_of(Footprint::Unit unit) {
  if (unit == Footprint::Unit::kMemory) return kMemoryUnit;
  return unit == Footprint::Unit::kMultiply ? kMultiplyUnit : kArithmeticUnit;
}

/// The core and its unit while a block runs; times count from the block's start.
class Machine {
 public:
  Machine(const TimingCycles& cycles, uint32_t vector_bits, PipelineState& state)
      : cycles_(cycles), vector_bits_(vector_bits), state_(state) {
    const VectorPipeline& before = state.vectors.get();
    std::copy(before.ready.begin(), before.ready.end(), ready_.begin());
    std::copy(before.unit.begin(), before.unit.end(), unit_.begin());
    std::copy(before.waiting.begin(), before.waiting.end(), waiting_.begin());
    std::copy(before.read.begin(), before.read.end(), read_.begin());
    reader_ = before.reader;
    now_ = before.part;
    type_ = before.type;
    for (size_t i = 0; i < core_ready_.size(); ++i) core_ready_[i] = state.wait[i];
    stored_ = before.stored;
  }

  void issue(const Instruction& instruction, bool taken) {
    wait_for_core_registers(instruction.reads);
    if (!instruction.vector) return issue_scalar(instruction, taken);
    const rvv::Code code{instruction.vector_code};
    const Footprint of = rvv::footprint_of(code, type_, vector_bits_ / 8);
    if (of.unit == Footprint::Unit::kNone) return configure(code);
    issue_vector(of);
  }

  uint32_t leave() {
    const uint32_t whole = now_ / kParts * kParts;
    const auto left = [&](uint32_t time) {
      return static_cast<VectorPipeline::Time>(
          time > now_ ? std::min<uint32_t>(time - whole, 0xFFFF) : 0);
    };
    VectorPipeline after;
    std::transform(ready_.begin(), ready_.end(), after.ready.begin(), left);
    std::transform(unit_.begin(), unit_.end(), after.unit.begin(), left);
    std::transform(waiting_.begin(), waiting_.end(), after.waiting.begin(), left);
    std::transform(read_.begin(), read_.end(), after.read.begin(), left);
    for (size_t i = 0; i < reader_.size(); ++i)
      after.reader[i] = after.read[i] > 0 ? reader_[i] : uint8_t{0};
    for (size_t i = 0; i < core_ready_.size(); ++i)
      state_.wait[i] = static_cast<uint8_t>(std::min<uint32_t>(left(core_ready_[i]), 255));
    after.stored = left(stored_);
    after.part = static_cast<uint8_t>(now_ - whole);
    after.type = type_;
    state_.vectors.set(after);
    return whole / kParts;
  }

 private:
  void wait_for_core_registers(uint64_t reads) {
    for (uint64_t left = reads & 0xffffffff; left != 0; left &= left - 1)
      now_ = std::max(now_, core_ready_[static_cast<size_t>(std::countr_zero(left))]);
  }

  /// Advances by `cycles` of execution, or by those of fetching if these are more.
  void advance(uint32_t cycles) { now_ += std::max(cycles_.eight_alu, cycles * kParts); }

  void issue_scalar(const Instruction& instruction, bool taken) {
    switch (instruction.kind) {
      case InstructionKind::kAlu:
        return advance(1);
      case InstructionKind::kMultiply:
        return advance(cycles_.multiply);
      case InstructionKind::kMultiplyHigh:
        return advance(cycles_.multiply_high);
      case InstructionKind::kDivide:
        return advance(cycles_.divide);
      case InstructionKind::kLoad:
        now_ = std::max(now_, stored_) + cycles_.eight_loads;
        for (uint64_t left = instruction.writes & 0xffffffff; left != 0; left &= left - 1)
          core_ready_[static_cast<size_t>(std::countr_zero(left))] =
              now_ + cycles_.load_use * kParts;
        return;
      case InstructionKind::kStore:
        now_ = std::max(now_, stored_) + cycles_.eight_stores;
        return;
      case InstructionKind::kBranch:
        return advance(taken ? cycles_.branch_taken : cycles_.branch_not_taken);
      case InstructionKind::kJump:
        return advance(instruction.call ? cycles_.call : cycles_.jump);
      case InstructionKind::kJumpIndirect:
        return advance(cycles_.jump_indirect);
    }
  }

  // The core executes it, once all instructions before it are in the queue.
  void configure(rvv::Code code) {
    wait_for_queue(cycles_.vector_queue - 1);
    now_ += cycles_.eight_configures;
    type_ = rvv::vtype_after(code, type_);
  }

  /// Waits until fewer than `most` instructions are queued.
  void wait_for_queue(uint32_t most) { now_ = std::max(now_, waiting_[most - 1]); }

  uint32_t occupancy(const Footprint& of) const {
    if (of.unit == Footprint::Unit::kElement || of.scattered) return of.elements * kParts;
    const uint32_t kilobit =
        of.unit == Footprint::Unit::kMemory ? cycles_.memory_kilobit : cycles_.pipe_kilobit;
    return std::max<uint32_t>(of.registers * vector_bits_ * kilobit * kParts / 1024, 1);
  }

  uint32_t latency(const Footprint& of) const {
    switch (of.unit) {
      case Footprint::Unit::kMemory:
        return cycles_.vector_load * kParts;
      case Footprint::Unit::kMultiply:
        return cycles_.vector_multiply * kParts;
      case Footprint::Unit::kElement:
        return cycles_.vector_element * kParts;
      default:
        return cycles_.vector_alu * kParts;
    }
  }

  static uint32_t latest(uint32_t registers, const std::array<uint32_t, 32>& times) {
    uint32_t latest = 0;
    for (; registers != 0; registers &= registers - 1)
      latest = std::max(latest, times[static_cast<size_t>(std::countr_zero(registers))]);
    return latest;
  }

  // Returns the earliest start at which no register is written that another unit has yet to read:
  // loads wait before they request it, the others before they write it.
  uint32_t start_after_readers(const Footprint& of, UnitIndex pipe, uint32_t busy) const {
    const auto written = static_cast<uint32_t>(std::popcount(of.writes));
    uint32_t start = 0, nth = 0;
    for (uint32_t left = of.writes; left != 0; left &= left - 1, ++nth) {
      const auto reg = static_cast<size_t>(std::countr_zero(left));
      const uint32_t write_at = pipe == kMemoryUnit
                                    ? busy * nth / written
                                    : latency(of) + busy * (nth + 1) / written - kParts;
      if (reader_[reg] != pipe && read_[reg] > write_at)
        start = std::max(start, read_[reg] - write_at);
    }
    return start;
  }

  void note_reads(const Footprint& of, UnitIndex pipe, uint32_t start, uint32_t busy) {
    for (const uint32_t source : of.sources) {
      const auto registers = static_cast<uint32_t>(std::popcount(source));
      uint32_t nth = 0;
      for (uint32_t left = source; left != 0; left &= left - 1, ++nth) {
        const auto reg = static_cast<size_t>(std::countr_zero(left));
        const uint32_t until = start + busy * nth / registers + cycles_.vector_reuse * kParts;
        if (until <= read_[reg]) continue;
        read_[reg] = until;
        reader_[reg] = pipe;
      }
    }
  }

  void issue_vector(const Footprint& of) {
    now_ += cycles_.eight_alu;
    wait_for_queue(cycles_.vector_queue);
    const UnitIndex pipe = pipe_of(of.unit);
    uint32_t& unit = unit_[pipe];
    const uint32_t dispatch = std::max({now_ + cycles_.vector_issue * kParts, waiting_[0] + kParts,
                                        unit, latest(of.writes, ready_)});
    const uint32_t busy = occupancy(of);
    const uint32_t start =
        std::max({dispatch, latest(of.reads(), ready_), start_after_readers(of, pipe, busy)});
    std::rotate(waiting_.begin(), waiting_.end() - 1, waiting_.end());
    waiting_[0] = dispatch;
    unit = start + busy;
    note_reads(of, pipe, start, busy);
    if (of.is_store) {
      unit += cycles_.vector_store * kParts;
      stored_ = std::max(stored_, start + busy + cycles_.vector_stored * kParts);
    }
    const uint32_t done = start + latency(of);
    const auto written = static_cast<uint32_t>(std::popcount(of.writes));
    uint32_t nth = 0;
    for (uint32_t left = of.writes; left != 0; left &= left - 1)
      ready_[static_cast<size_t>(std::countr_zero(left))] = done + busy * ++nth / written;
    if (of.to_core) now_ = std::max(now_, done + busy);
    // Fetching has run ahead while the core stalled.
    const uint32_t fetched = std::max(cycles_.eight_alu, kParts) - kParts;
    if (of.unit == Footprint::Unit::kMemory && !of.is_store)
      now_ = std::max(now_, start + busy + cycles_.vector_load_release * kParts - fetched);
  }

  const TimingCycles& cycles_;
  uint32_t vector_bits_;
  PipelineState& state_;
  uint32_t now_ = 0;
  std::array<uint32_t, 32> ready_{}, core_ready_{}, read_{};
  std::array<uint8_t, 32> reader_{};
  uint8_t type_ = 0;
  std::array<uint32_t, 4> unit_{};
  std::array<uint32_t, VectorPipeline::kMostWaiting> waiting_{};
  uint32_t stored_ = 0;
};

}  // namespace

uint32_t TimingModel::run_vector(std::span<const Instruction> block, const BlockExit& exit,
                                 PipelineState& state) const {
  Machine machine(cycles_, vector_bits_, state);
  for (size_t i = 0; i < block.size(); ++i)
    machine.issue(block[i], exit.taken && i + 1 == block.size());
  return machine.leave();
}

}  // namespace tinytune
