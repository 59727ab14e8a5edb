// How long instructions take: a scoreboard of an in-order core, parameterised by the device file.
//
// It runs when a block is first met and never again: cost depends on the instructions and on the
// pipeline's state at entry, both of which repeat, so the result is cached (block_graph.h).
// Anything that depends on data or on history, like early exit of a divider or a branch predictor,
// gets one fixed answer.
//
// Models; timing_keys.cc lists each one's keys with their meaning:
//   unit        one instruction, one cycle
//   in_order    one instruction at a time, results late by kind (RISC-V cores, Cortex-M33)
//   cortex_m    one at a time, loads and stores overlap their neighbours (Cortex-M0+ to M4)
//   dual_issue  up to two at a time (Cortex-M7)
//   helium      one or two at a time, halves of vectors overlap their neighbours (Cortex-M55, M85)
//   vector      one at a time, with a vector unit beside it that has a queue (Vicuna)
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "devices/device.h"
#include "simulator/fetch_stream.h"
#include "simulator/instruction.h"
#include "simulator/vector_pipeline.h"
#include "tinytune/result.h"

namespace tinytune {

/// What one block leaves behind for the next.
struct PipelineState {
  static constexpr uint32_t kNoBranch = 1;  ///< odd: no code address

  std::array<uint8_t, 32> wait{};       ///< cycles until a register can be read
  std::array<uint8_t, 32> late_wait{};  ///< the same for a consumer that reads late
  uint64_t just_written = 0;            ///< by the instruction before
  bool after_float = false;             ///< it was arithmetic of the floating-point unit
  bool after_load = false;              ///< it was a load of one register
  uint8_t loaded_block = 0;             ///< … if so, from this block of memory; 0: not known
  bool after_store = false;             ///< it was a store
  uint8_t odd_wide = 0;  ///< 32-bit instructions of one cycle in a row on odd half words; 4: paid
  bool after_exclusive = false;  ///< it was a load or store under a reservation
  bool after_short = false;      ///< it was one of 16 bits, beside which a branch may issue
  uint8_t store_wait = 0;        ///< dual issue: cycles until the store buffer has room
  uint8_t flags_wait = 0;        ///< dual issue: cycles until the flags are known early
  bool cycle_open = false;       ///< dual issue: the last cycle is paid for
  bool slot_open = false;        ///< … and another may issue in it
  Instruction first;             ///< … beside this one, its address left out
  uint32_t predicted_branch = kNoBranch;  ///< in the branch target buffer
  uint8_t predicted_bytes = 0;            ///< that branch's size
  bool predicted_odd = false;             ///< its target is no multiple of 4
  uint8_t buffered =
      2;  ///< half words of code that wait for decoding, the next instruction's first
  bool landed_beside = false;  ///< a jump led into that branch's word: fetched without the buffer
  VectorWork vectors;          ///< vector: `wait` is in the steps of its times

  bool operator==(const PipelineState&) const = default;
  uint64_t hash() const;
};

/// How control leaves a block.
struct BlockExit {
  bool taken = false;             ///< through the jump of its last instruction
  uint32_t target = 0;            ///< the address of what runs next
  bool target_straddles = false;  ///< … an instruction of 32 bits that starts on an odd half word
};

/// An instruction as it is executed once its code is there.
struct FetchedStep {
  uint32_t address = 0, target = 0;  ///< `target`: where it jumps if `taken`
  uint8_t halves = 1;                ///< half words
  uint8_t late = 0;      ///< cycles behind the instruction before, until what it reads is there
  uint8_t cycles = 1;    ///< … and then; the way to where it jumps left out
  uint8_t accesses = 0;  ///< loads and stores, in the last of these
  bool taken = false;
  bool trains = false;   ///< the branch target buffer holds it once it was taken
  bool flushes = false;  ///< what was fetched and foreseen is forgotten
};

/// Cycles by key; the keys are the members' names.
struct TimingCycles {
  uint32_t alu = 1, multiply = 1, multiply_high = 1, divide = 1;
  uint32_t load = 1, load_use = 0, load_after_load = 1, load_after_store = 1;
  uint32_t store = 1, store_after_load = 1, store_register_offset = 1;
  uint32_t transfer_base = 0, transfer = 1;
  uint32_t branch_taken = 1, branch_not_taken = 1, jump = 1, call = 1, jump_indirect = 1;
  uint32_t multiply_use = 0, address_use = 0, jump_use = 0;
  uint32_t narrow_load_use = 0, narrow_store = 1, mispredict = 0, mispredict_early = 0;
  uint32_t branch_history = 0;
  uint32_t branch_predicted = 1, branch_mispredicted = 1, misaligned_target = 0;
  uint32_t store_data_late = 0, divide_negative = 1;
  uint32_t backward_taken = 1, backward_not_taken = 1, branch_paired = 0;
  uint32_t accumulator_late = 0, multiply_flags = 1, shift_use = 0;
  uint32_t atomic = 1, atomic_use = 0, exclusive_overlap = 0;
  uint32_t unaligned_part = 0, odd_wide_run = 0, transfer_after_store = 0;
  uint32_t bank_wait = 0;
  uint32_t float_alu = 1, float_accumulate = 1, float_divide = 1, float_use = 0;
  uint32_t eight_alu = 8, eight_loads = 8, eight_stores = 8, eight_configures = 8;
  uint32_t pipe_kilobit = 16, memory_kilobit = 16, vector_queue = 1, vector_issue = 0;
  uint32_t vector_alu = 0, vector_multiply = 0, vector_element = 0, vector_load = 0;
  uint32_t issue_width = 1, store_unit = 0, transfer_registers = 1, loop_first = 1;
  uint32_t vector_round = 1, vector_narrow = 1, vector_sum = 1, vector_move = 1;
  uint32_t vector_structure = 1, late_stages = 0, store_late = 0, fill_rest = 0;
  uint32_t vector_load_release = 0, vector_store = 0, vector_stored = 0, vector_reuse = 0;
};

class TimingModel {
 public:
  /// kInvalidInput: an unknown model, or an unknown or missing key; the message names it.
  /// `vector_bits`: of a register, where the instruction set leaves that open.
  static Result<TimingModel> create(const Timing& timing, uint32_t vector_bits = 0);

  /// Cycles of `block` entered in `state`, which is left as the block leaves it.
  uint32_t run(std::span<const Instruction> block, const BlockExit& exit,
               PipelineState& state) const;

  /// The same where fetches wait for banks: `data_banks` of the block's loads and stores, in their
  /// order. `stream` is left as the block leaves it, too.
  uint32_t run_fetching(std::span<const Instruction> block, const BlockExit& exit,
                        PipelineState& state, FetchStream& stream, const BankMap& banks,
                        std::span<const uint8_t> data_banks) const;
  /// How `block` is executed where its code and what it reads come when they come.
  std::vector<FetchedStep> fetched_steps(std::span<const Instruction> block, const BlockExit& exit,
                                         PipelineState state) const;
  /// Whether there is a branch target buffer.
  bool has_buffer() const;
  bool waits_for_banks() const { return cycles_.bank_wait != 0; }

  /// Whether a load may cost less behind another from the same block of memory.
  bool overlaps_loads() const {
    return model_ == Model::kCortexM && cycles_.load_after_load != cycles_.load;
  }

  /// What an unaligned access costs beyond its cycles: it is made in two or three parts.
  uint32_t unaligned_cycles(bool is_write, uint32_t address, uint32_t size_bytes) const {
    if (is_write) return 0;  // the write buffer does it
    return cycles_.unaligned_part * (size_bytes == 4 && address % 2 != 0 ? 2 : 1);
  }

  /// Counters of what a branch did: from `likely` on it is foreseen as taken, at `surest` they
  /// stop.
  struct BranchHistories {
    uint8_t likely, surest;
  };
  BranchHistories branch_histories() const {
    const uint32_t states = cycles_.branch_history == 0 ? 0 : 1u << cycles_.branch_history;
    return {static_cast<uint8_t>(states / 2), static_cast<uint8_t>(states == 0 ? 0 : states - 1)};
  }
  /// What a block entered in `state` costs more where the branch at its end was not foreseen; 0 if
  /// the core keeps no history, or no branch ends it. What run() counts is a branch foreseen.
  uint8_t mispredicted(std::span<const Instruction> block, PipelineState state) const;

  /// What a signed division costs beyond its cycles if the dividend is negative.
  uint32_t negative_dividend_cycles() const { return cycles_.divide_negative - cycles_.divide; }

 private:
  enum class Model { kUnit, kInOrder, kCortexM, kDualIssue, kHelium, kVector };

  uint32_t issue_single(const Instruction& instruction, bool taken, PipelineState& state) const;
  /// Of an instruction of the floating-point unit that neither loads nor stores.
  uint32_t float_cycles(const Instruction& instruction) const;
  /// That one waits for the unit's result of the instruction before.
  uint32_t float_stall(const Instruction& instruction, const PipelineState& state) const;
  static bool overlaps(const Instruction& access, const PipelineState& state);
  uint32_t branch_cycles(const Instruction& branch, bool taken, const PipelineState& state) const;
  uint32_t issue_dual(const Instruction& instruction, bool taken, PipelineState& state) const;
  uint32_t mispredict_cycles(const PipelineState& state) const;
  /// What fetching elsewhere costs beyond the last instruction's own cycles; may be negative.
  int32_t redirect(const Instruction& last, const BlockExit& exit, PipelineState& state) const;
  /// Code that comes in during `cycles`, the last of which decodes `instruction`.
  void fetch_beside(const Instruction& instruction, uint32_t cycles, PipelineState& state) const;
  uint32_t run_helium(std::span<const Instruction> block, const BlockExit& exit,
                      PipelineState& state) const;
  uint32_t run_vector(std::span<const Instruction> block, const BlockExit& exit,
                      PipelineState& state) const;
  uint32_t single_cycles(const Instruction& instruction, bool taken,
                         const PipelineState& state) const;

  Model model_ = Model::kUnit;
  TimingCycles cycles_;
  uint32_t vector_bits_ = 0;
};

}  // namespace tinytune
