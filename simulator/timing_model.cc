#include "simulator/timing_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/hash.h"
#include "simulator/timing_keys.h"

namespace tinytune {
namespace {

constexpr uint64_t kFlags = uint64_t{1} << 16;  // as arm_m.cc numbers them

template <typename Visit>
void for_each_register(uint64_t mask, Visit visit) {
  for (; mask != 0; mask &= mask - 1) visit(std::countr_zero(mask));
}

void advance(std::array<uint8_t, 32>& waits, uint32_t cycles) {
  for (uint8_t& wait : waits) {
    wait = wait > cycles ? static_cast<uint8_t>(wait - cycles) : uint8_t{0};
  }
}

}  // namespace

uint64_t PipelineState::hash() const {
  const uint64_t rest[] = {
      just_written, first.writes,
      uint64_t{predicted_branch} << 1 | uint64_t{landed_beside} | uint64_t{buffered} << 40,
      uint64_t{after_load} | uint64_t{cycle_open} << 1 | uint64_t{slot_open} << 2 |
          uint64_t{store_wait} << 3 | uint64_t{after_store} << 16 | uint64_t{flags_wait} << 17 |
          uint64_t{after_short} << 25 | uint64_t{after_exclusive} << 26 | uint64_t{odd_wide} << 27 |
          uint64_t{loaded_block} << 32 | uint64_t{after_float} << 40};
  Fnv1a hash;
  hash.add(std::span<const uint8_t>(wait))
      .add(std::span<const uint8_t>(late_wait))
      .add({reinterpret_cast<const uint8_t*>(rest), sizeof rest});
  if (vectors.any())
    hash.add({reinterpret_cast<const uint8_t*>(&vectors.get()), sizeof(VectorPipeline)});
  return hash.value();
}

Result<TimingModel> TimingModel::create(const Timing& timing, uint32_t vector_bits) {
  TimingModel model;
  model.vector_bits_ = vector_bits;
  if (timing.model == "in_order") {
    model.model_ = Model::kInOrder;
  } else if (timing.model == "cortex_m") {
    model.model_ = Model::kCortexM;
  } else if (timing.model == "dual_issue") {
    model.model_ = Model::kDualIssue;
  } else if (timing.model == "helium") {
    model.model_ = Model::kHelium;
  } else if (timing.model == "vector") {
    model.model_ = Model::kVector;
  } else if (timing.model != "unit") {
    return Error(ErrorCode::kInvalidInput, "unknown timing model '" + timing.model + "'");
  }
  const auto keys = internal::timing_keys(timing.model);
  for (const auto& given : timing.cycles) {
    const std::string& name = given.first;
    if (std::none_of(keys.begin(), keys.end(), [&](const auto& key) { return name == key.name; })) {
      return Error(ErrorCode::kInvalidInput,
                   "timing model '" + timing.model + "' has no key '" + name + "'");
    }
  }
  for (const internal::TimingKey& key : keys) {
    const auto found = timing.cycles.find(std::string(key.name));
    if (found == timing.cycles.end() && key.otherwise != nullptr) {
      model.cycles_.*key.cycles = model.cycles_.*key.otherwise;
      continue;
    }
    if (found == timing.cycles.end()) {
      return Error(ErrorCode::kInvalidInput, "timing model '" + timing.model + "' needs the key '" +
                                                 std::string(key.name) + "'");
    }
    const auto value = static_cast<uint32_t>(found->second);
    if (value < key.least || value > key.most)
      return Error(ErrorCode::kInvalidInput,
                   fmt::format("timing model '{}': {} must be {} to {}", timing.model, key.name,
                               key.least, key.most));
    model.cycles_.*key.cycles = value;
  }
  return model;
}

uint32_t TimingModel::run(std::span<const Instruction> block, const BlockExit& exit,
                          PipelineState& state) const {
  if (model_ == Model::kUnit) return static_cast<uint32_t>(block.size());
  if (model_ == Model::kHelium) return run_helium(block, exit, state);
  if (model_ == Model::kVector) return run_vector(block, exit, state);
  uint32_t cycles = 0;
  for (size_t i = 0; i < block.size(); ++i) {
    const bool jumps = exit.taken && i + 1 == block.size();
    const uint32_t before = cycles;
    cycles += model_ == Model::kDualIssue ? issue_dual(block[i], jumps, state)
                                          : issue_single(block[i], jumps, state);
    if (model_ == Model::kInOrder && has_buffer()) {
      const uint32_t away = jumps ? single_cycles(block[i], jumps, state) - 1 : 0;
      fetch_beside(block[i], cycles - before - away, state);
    }
  }
  if (model_ == Model::kInOrder && !block.empty())
    cycles += static_cast<uint32_t>(redirect(block.back(), exit, state));
  if (model_ == Model::kCortexM && exit.taken && exit.target_straddles)
    cycles += cycles_.misaligned_target;
  return cycles;
}

bool TimingModel::overlaps(const Instruction& access, const PipelineState& state) {
  const bool known = access.memory_block != 0 && state.loaded_block != 0;
  return state.after_load && (!known || access.memory_block == state.loaded_block);
}

uint32_t TimingModel::float_cycles(const Instruction& instruction) const {
  switch (instruction.floating) {
    case FloatKind::kDivide:
      return cycles_.float_divide;
    case FloatKind::kAccumulate:
      return cycles_.float_accumulate;
    default:
      return cycles_.float_alu;
  }
}

uint32_t TimingModel::float_stall(const Instruction& instruction,
                                  const PipelineState& state) const {
  const bool waits = state.after_float && (instruction.reads & state.just_written) != 0;
  return waits ? cycles_.float_use : 0;
}

uint32_t TimingModel::single_cycles(const Instruction& instruction, bool taken,
                                    const PipelineState& state) const {
  // A predicated jump that is not taken costs as a branch that is not taken.
  const bool stays = instruction.conditional && !taken;
  if (instruction.kind == InstructionKind::kBranch ||
      (instruction.kind > InstructionKind::kBranch && stays))
    return branch_cycles(instruction, taken, state);
  if (instruction.is_float())
    return instruction.is_load() || instruction.is_store()
               ? cycles_.transfer_base + cycles_.transfer * instruction.words
               : float_cycles(instruction);
  switch (instruction.kind) {
    case InstructionKind::kAlu:
      return cycles_.alu;
    case InstructionKind::kMultiply:
      return instruction.size_bytes == 2 && (instruction.writes & kFlags) != 0
                 ? cycles_.multiply_flags
                 : cycles_.multiply;
    case InstructionKind::kMultiplyHigh:
      return cycles_.multiply_high;
    case InstructionKind::kDivide:
      return cycles_.divide;
    case InstructionKind::kLoad:
      if (instruction.words > 1) break;
      if (model_ == Model::kInOrder) return instruction.atomic ? cycles_.atomic : cycles_.load;
      if (state.after_store) return cycles_.load_after_store;
      return overlaps(instruction, state) ? cycles_.load_after_load
                                          : cycles_.load + instruction.load_wait;
    case InstructionKind::kStore:
      if (instruction.words > 1) break;
      if (model_ == Model::kInOrder) return cycles_.store;
      if (model_ == Model::kCortexM && state.after_load && !overlaps(instruction, state))
        return instruction.register_offset ? cycles_.store_register_offset : cycles_.store;
      if (instruction.register_offset && state.after_load)
        return cycles_.store_register_offset + cycles_.store_after_load - cycles_.store;
      if (instruction.register_offset) return cycles_.store_register_offset;
      return state.after_load ? cycles_.store_after_load : cycles_.store;
    case InstructionKind::kBranch:
      break;  // above
    case InstructionKind::kJump:
      return instruction.call ? cycles_.call : cycles_.jump;
    case InstructionKind::kJumpIndirect:
      return cycles_.jump_indirect;
  }
  // After a store the bus is already turned to that store's block.
  return cycles_.transfer_base + cycles_.transfer * instruction.words +
         (instruction.is_load() && state.after_store ? cycles_.transfer_after_store
                                                     : instruction.load_wait);
}

uint32_t TimingModel::branch_cycles(const Instruction& branch, bool taken,
                                    const PipelineState& state) const {
  const bool backward = branch.backward && model_ == Model::kInOrder;
  const uint32_t cycles = taken
                              ? (backward ? cycles_.backward_taken : cycles_.branch_taken)
                              : (backward ? cycles_.backward_not_taken : cycles_.branch_not_taken);
  const bool sets_flags = (state.just_written & kFlags) != 0;
  const bool paired = branch.size_bytes == 2 && state.after_short && !(taken && sets_flags);
  return paired ? cycles - std::min(cycles, cycles_.branch_paired) : cycles;
}

uint32_t TimingModel::issue_single(const Instruction& instruction, bool taken,
                                   PipelineState& state) const {
  uint32_t stall = 0;
  const uint64_t stored =
      instruction.is_store() ? instruction.reads & ~instruction.address_reads : 0;
  const uint64_t accumulated = instruction.is_multiply() ? instruction.late_reads : 0;
  for_each_register(instruction.reads & 0xffffffff, [&](int reg) {
    uint32_t late = 0;
    if ((stored >> reg & 1) != 0) late = cycles_.store_data_late;
    if ((accumulated >> reg & 1) != 0) late = cycles_.accumulator_late;
    if (state.wait[reg] > late) stall = std::max<uint32_t>(stall, state.wait[reg] - late);
  });
  if ((instruction.address_reads & state.just_written) != 0) {
    stall +=
        instruction.kind == InstructionKind::kJumpIndirect ? cycles_.jump_use : cycles_.address_use;
  }
  stall += float_stall(instruction, state);
  if (state.after_exclusive && (instruction.exclusive || instruction.atomic))
    stall = std::max(stall, cycles_.exclusive_overlap);
  uint32_t cycles = stall + single_cycles(instruction, taken, state);
  if (taken && instruction.kind < InstructionKind::kBranch) cycles += cycles_.jump_indirect - 1;
  if (cycles_.odd_wide_run != 0) {
    // An instruction of more than one cycle lets the prefetch buffer fill up. A store waits in a
    // buffer, so that the instruction after it is late instead.
    constexpr uint8_t kLate = 3;
    const bool odd = instruction.size_bytes == 4 && instruction.address % 4 != 0;
    if (!odd || cycles > 1 || taken) {
      state.odd_wide = 0;
    } else if (state.odd_wide <= kLate) {
      const uint8_t run = ++state.odd_wide;
      const bool late = run > kLate || (run == kLate && !instruction.is_store());
      if (late) cycles += cycles_.odd_wide_run, state.odd_wide = kLate + 1;
    }
  }
  advance(state.wait, cycles);
  uint32_t latency = 0;
  if (instruction.is_load()) latency = instruction.atomic ? cycles_.atomic_use : cycles_.load_use;
  if (instruction.is_multiply()) latency = cycles_.multiply_use;
  if (instruction.shifted) latency = cycles_.shift_use;
  const uint64_t base = std::popcount(instruction.writes) > instruction.words
                            ? instruction.writes & instruction.address_reads
                            : 0;
  for_each_register(instruction.writes & 0xffffffff, [&](int reg) {
    state.wait[reg] = static_cast<uint8_t>((base >> reg & 1) != 0 ? 0 : latency);
  });
  state.just_written = instruction.writes;
  state.after_float = instruction.floating > FloatKind::kMove;
  state.after_load = instruction.is_load() && instruction.words == 1 && !instruction.ends_block &&
                     !instruction.is_float();
  state.loaded_block = state.after_load && overlaps_loads() ? instruction.memory_block : uint8_t{0};
  state.after_store =
      model_ == Model::kCortexM && instruction.is_store() && !instruction.is_float();
  state.after_exclusive = cycles_.exclusive_overlap != 0 && instruction.exclusive;
  state.after_short = cycles_.branch_paired != 0 && instruction.size_bytes == 2;
  return cycles;
}

}  // namespace tinytune
