#include "simulator/timing_model.h"

#include <algorithm>
#include <bit>

namespace tinytune {
namespace {

template <typename Visit>
void for_each_register(uint64_t mask, Visit visit) {
  for (; mask != 0; mask &= mask - 1) visit(std::countr_zero(mask));
}

}  // namespace

Result<TimingModel> TimingModel::create(const Timing& timing) {
  TimingModel model;
  model.unit_ = timing.model == "unit";
  if (!model.unit_ && timing.model != "in_order") {
    return Error(ErrorCode::kInvalidInput, "unknown timing model '" + timing.model + "'");
  }
  struct Key {
    const char* name;
    uint32_t TimingModel::*cycles;
  };
  static constexpr Key kKeys[] = {
      {"alu", &TimingModel::alu_},
      {"multiply", &TimingModel::multiply_},
      {"multiply_high", &TimingModel::multiply_high_},
      {"divide", &TimingModel::divide_},
      {"load", &TimingModel::load_},
      {"store", &TimingModel::store_},
      {"load_use", &TimingModel::load_use_},
      {"multiply_use", &TimingModel::multiply_use_},
      {"branch_taken", &TimingModel::branch_taken_},
      {"branch_not_taken", &TimingModel::branch_not_taken_},
      {"jump", &TimingModel::jump_},
      {"jump_indirect", &TimingModel::jump_indirect_},
      {"jump_use", &TimingModel::jump_use_},
  };
  for (const auto& [name, cycles] : timing.cycles) {
    const bool known =
        !model.unit_ && std::any_of(std::begin(kKeys), std::end(kKeys),
                                    [&](const Key& key) { return name == key.name; });
    if (!known) {
      return Error(ErrorCode::kInvalidInput,
                   "timing model '" + timing.model + "' has no key '" + name + "'");
    }
  }
  if (model.unit_) return model;
  for (const Key& key : kKeys) {
    const auto found = timing.cycles.find(key.name);
    if (found == timing.cycles.end()) {
      return Error(ErrorCode::kInvalidInput,
                   "timing model 'in_order' needs the key '" + std::string(key.name) + "'");
    }
    model.*key.cycles = static_cast<uint32_t>(found->second);
  }
  return model;
}

uint32_t TimingModel::run(std::span<const Instruction> block, bool taken,
                          PipelineState& state) const {
  if (unit_) return static_cast<uint32_t>(block.size());
  uint32_t cycles = 0;
  for (size_t i = 0; i < block.size(); ++i) {
    cycles += issue(block[i], taken && i + 1 == block.size(), state);
  }
  return cycles;
}

uint32_t TimingModel::issue_cycles(const Instruction& instruction, bool taken) const {
  switch (instruction.kind) {
    case InstructionKind::kAlu:
      return alu_;
    case InstructionKind::kMultiply:
      return multiply_;
    case InstructionKind::kMultiplyHigh:
      return multiply_high_;
    case InstructionKind::kDivide:
      return divide_;
    case InstructionKind::kLoad:
      return load_;
    case InstructionKind::kStore:
      return store_;
    case InstructionKind::kBranch:
      return taken ? branch_taken_ : branch_not_taken_;
    case InstructionKind::kJump:
      return jump_;
    case InstructionKind::kJumpIndirect:
      return jump_indirect_;
  }
  return alu_;
}

uint32_t TimingModel::issue(const Instruction& instruction, bool taken,
                            PipelineState& state) const {
  uint32_t stall = 0;
  for_each_register(instruction.reads,
                    [&](int reg) { stall = std::max<uint32_t>(stall, state.wait[reg]); });
  if (instruction.kind == InstructionKind::kJumpIndirect &&
      (instruction.address_reads & state.just_written) != 0) {
    stall += jump_use_;
  }
  const uint32_t cycles = stall + issue_cycles(instruction, taken);
  for (uint8_t& wait : state.wait) {
    wait = wait > cycles ? static_cast<uint8_t>(wait - cycles) : uint8_t{0};
  }
  uint32_t latency = 0;
  if (instruction.is_load()) latency = load_use_;
  if (instruction.is_multiply()) latency = multiply_use_;
  for_each_register(instruction.writes,
                    [&](int reg) { state.wait[reg] = static_cast<uint8_t>(latency); });
  state.just_written = instruction.writes;
  return cycles;
}

}  // namespace tinytune
