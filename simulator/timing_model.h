// Cycles of instructions: a scoreboard of an in-order core, parameterised by the device file.
//
// It runs once for each block and state of the pipeline at its entry, on which alone the cost
// depends; the result is cached (block_graph.h). Effects of data and history get one fixed cost
// here. Of these, unaligned accesses, negative dividends and mispredicted branches are charged
// apart, by the functions below.
//
// Models; timing_keys.cc lists each one's keys with their meaning:
//   unit        one instruction, one cycle
//   in_order    one instruction at a time, latency by kind (RISC-V cores, Cortex-M33)
//   cortex_m    one at a time, loads and stores overlap their neighbours (Cortex-M0+ to M4)
//   dual_issue  up to two at a time (Cortex-M7)
//   helium      one or two at a time, halves of vectors overlap their neighbours (Cortex-M55, M85)
//   vector      one at a time, with a vector unit behind a queue (Vicuna)
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

/// State of the pipeline between two blocks. "It" is the instruction before.
struct PipelineState {
  static constexpr uint32_t kNoBranch = 1;  ///< odd: no code address

  std::array<uint8_t, 32> wait{};       ///< cycles until a register can be read
  std::array<uint8_t, 32> late_wait{};  ///< the same for a consumer that reads late
  uint64_t just_written = 0;            ///< registers that it wrote
  bool after_float = false;             ///< it was arithmetic of the floating-point unit
  bool after_load = false;              ///< it was a load of one register
  uint8_t loaded_block = 0;             ///< … if so, from this block of memory; 0: not known
  bool after_store = false;             ///< it was a store
  uint8_t odd_wide = 0;  ///< run of one-cycle 32-bit instructions on odd half words; 4: charged
  bool after_exclusive = false;  ///< it was lr or sc
  bool after_short = false;      ///< it had 16 bits, so that a branch may pair with it
  uint8_t store_wait = 0;        ///< dual issue: cycles until the store buffer has room
  uint8_t flags_wait = 0;        ///< dual issue: cycles until a branch on the flags costs less
  bool cycle_open = false;       ///< dual issue: the current cycle is already charged
  bool slot_open = false;        ///< … and another instruction may issue in it
  Instruction first;             ///< … beside this one, its address left out
  uint32_t predicted_branch = kNoBranch;  ///< branch in the branch target buffer
  uint8_t predicted_bytes = 0;            ///< that branch's size
  bool predicted_odd = false;             ///< its target is not a multiple of 4
  uint8_t buffered =
      2;  ///< half words of code that wait for decoding, the next instruction's first
  bool landed_beside = false;  ///< a jump landed in that branch's word: the buffer was not asked
  VectorWork vectors;          ///< vector: `wait` is in the same steps as these times

  bool operator==(const PipelineState&) const = default;
  uint64_t hash() const;
};

/// How control leaves a block.
struct BlockExit {
  bool taken = false;             ///< by the jump of its last instruction
  uint32_t target = 0;            ///< address of the next instruction
  bool target_straddles = false;  ///< … which has 32 bits and is on an odd half word
};

/// Execution of an instruction, apart from fetching its code.
struct FetchedStep {
  uint32_t address = 0, target = 0;  ///< `target`: where it jumps if `taken`
  uint8_t halves = 1;                ///< half words of its code
  uint8_t late = 0;      ///< cycles after the instruction before until its operands are ready
  uint8_t cycles = 1;    ///< … and then of execution, without fetching a jump's target
  uint8_t accesses = 0;  ///< loads and stores, in the last of these cycles
  bool taken = false;
  bool trains = false;   ///< enters the branch target buffer when taken
  bool flushes = false;  ///< discards fetched code and the branch target buffer
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
  /// `vector_bits`: VLEN, if the instruction set leaves it open.
  static Result<TimingModel> create(const Timing& timing, uint32_t vector_bits = 0);

  /// Returns the cycles of `block` entered in `state`; updates `state` to the block's end.
  uint32_t run(std::span<const Instruction> block, const BlockExit& exit,
               PipelineState& state) const;

  /// The same if fetches wait for banks; updates `stream`, too. `data_banks`: those of the block's
  /// loads and stores, in order.
  uint32_t run_fetching(std::span<const Instruction> block, const BlockExit& exit,
                        PipelineState& state, FetchStream& stream, const BankMap& banks,
                        std::span<const uint8_t> data_banks) const;
  /// Returns the execution of `block`, for callers that time its fetches and accesses themselves.
  std::vector<FetchedStep> fetched_steps(std::span<const Instruction> block, const BlockExit& exit,
                                         PipelineState state) const;
  /// Returns whether there is a branch target buffer.
  bool has_buffer() const;
  bool waits_for_banks() const { return cycles_.bank_wait != 0; }

  /// Returns whether a load may cost less after another one from the same block of memory.
  bool overlaps_loads() const {
    return model_ == Model::kCortexM && cycles_.load_after_load != cycles_.load;
  }

  /// Returns the extra cycles of an unaligned access, which is made in two or three parts.
  uint32_t unaligned_cycles(bool is_write, uint32_t address, uint32_t size_bytes) const {
    if (is_write) return 0;  // hidden by the write buffer
    return cycles_.unaligned_part * (size_bytes == 4 && address % 2 != 0 ? 2 : 1);
  }

  /// Saturating counters of branches: they predict taken from `likely` on, and saturate at
  /// `surest`.
  struct BranchHistories {
    uint8_t likely, surest;
  };
  BranchHistories branch_histories() const {
    const uint32_t states = cycles_.branch_history == 0 ? 0 : 1u << cycles_.branch_history;
    return {static_cast<uint8_t>(states / 2), static_cast<uint8_t>(states == 0 ? 0 : states - 1)};
  }
  /// Returns the extra cycles of a block entered in `state` if the branch at its end is
  /// mispredicted; 0 if the core keeps no history, or no branch ends it. run() assumes that
  /// branches are predicted correctly.
  uint8_t mispredicted(std::span<const Instruction> block, PipelineState state) const;

  /// Returns the extra cycles of a signed division with a negative dividend.
  uint32_t negative_dividend_cycles() const { return cycles_.divide_negative - cycles_.divide; }

 private:
  enum class Model { kUnit, kInOrder, kCortexM, kDualIssue, kHelium, kVector };

  uint32_t issue_single(const Instruction& instruction, bool taken, PipelineState& state) const;
  /// Returns the cycles of a floating-point instruction that neither loads nor stores.
  uint32_t float_cycles(const Instruction& instruction) const;
  /// Returns the stall for the floating-point result of the instruction before.
  uint32_t float_stall(const Instruction& instruction, const PipelineState& state) const;
  static bool overlaps(const Instruction& access, const PipelineState& state);
  uint32_t branch_cycles(const Instruction& branch, bool taken, const PipelineState& state) const;
  uint32_t issue_dual(const Instruction& instruction, bool taken, PipelineState& state) const;
  uint32_t mispredict_cycles(const PipelineState& state) const;
  /// Returns the cost of redirected fetching beyond the last instruction's own cycles; may be
  /// negative.
  int32_t redirect(const Instruction& last, const BlockExit& exit, PipelineState& state) const;
  /// Buffers the code that is fetched in `cycles`, the last of which decodes `instruction`.
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
