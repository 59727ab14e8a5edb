#include <charconv>
#include <map>

#include "simulator/machine_code.h"

namespace tinytune {
namespace {

// Kinds that LLVM's instruction descriptions do not tell apart, by LLVM's opcode names.
const std::map<std::string_view, InstructionKind>& kinds() {
  using enum InstructionKind;
  static const std::map<std::string_view, InstructionKind> kKinds = {
      {"MUL", kMultiply},
      {"MULH", kMultiplyHigh},
      {"MULHSU", kMultiplyHigh},
      {"MULHU", kMultiplyHigh},
      {"DIV", kDivide},
      {"DIVU", kDivide},
      {"REM", kDivide},
      {"REMU", kDivide},
      {"JAL", kJump},
      {"C_JAL", kJump},
      {"C_J", kJump},
      {"JALR", kJumpIndirect},
      {"C_JR", kJumpIndirect},
      {"C_JALR", kJumpIndirect},
      {"FENCE", kAlu},
      {"FENCE_I", kJump},
  };
  return kKinds;
}

bool is_system(std::string_view name) {
  return name.starts_with("CSR") || name == "ECALL" || name == "EBREAK" || name == "C_EBREAK" ||
         name == "UNIMP" || name == "C_UNIMP" || name == "MRET" || name == "SRET" ||
         name == "URET" || name == "WFI" || name == "FENCE_I" || name == "SFENCE_VMA";
}

bool is_for_programs(std::string_view name) {
  return name.starts_with("CSR") || name == "ECALL" || name == "EBREAK" || name == "C_EBREAK" ||
         name == "MRET" || name == "WFI" || name == "FENCE_I";
}

}  // namespace

uint64_t riscv_register_bit(std::string_view name) {
  unsigned number = 0;
  if (!name.starts_with("X")) return 0;
  const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), number);
  const bool whole = error == std::errc() && end == name.data() + name.size();
  return !whole || number == 0 || number > 31 ? 0 : uint64_t{1} << number;
}

bool describe_riscv(const MachineCode& code, bool allow_system, Instruction& out) {
  if (is_system(code.name)) {
    if (!allow_system || !is_for_programs(code.name)) return false;
    out.by_hand = code.name != "FENCE_I";
  }
  out.reads = code.implicit_reads;
  out.writes = code.implicit_writes;
  for (size_t i = 0; i < code.operands.size(); ++i) {
    (i < code.defined ? out.writes : out.reads) |= code.operands[i].bit;
  }
  const auto known = kinds().find(code.name);
  if (known != kinds().end()) {
    out.kind = known->second;
  } else if (code.conditional_branch) {
    out.kind = InstructionKind::kBranch;
  } else if (code.loads) {
    out.kind = InstructionKind::kLoad;
    out.address_reads = out.reads;
  } else if (code.stores) {
    out.kind = InstructionKind::kStore;
    if (code.operands.size() > 1) out.address_reads = code.operands[1].bit;  // value, base, offset
  }
  if (out.kind == InstructionKind::kJumpIndirect) out.address_reads = out.reads;
  out.atomic = code.name.starts_with("AMO");
  out.exclusive = code.name.starts_with("LR_") || code.name.starts_with("SC_");
  out.aligned_only = out.atomic || out.exclusive;
  out.flushes = code.name == "FENCE_I";
  for (const MachineOperand& operand : code.operands) {
    if (out.kind != InstructionKind::kBranch || operand.is_register) continue;
    out.backward = operand.immediate < 0;
    out.to_next = operand.immediate == out.size_bytes;
  }
  out.call = out.kind >= InstructionKind::kJump && out.writes != 0;
  out.ends_block = out.kind >= InstructionKind::kBranch;
  out.conditional = out.kind == InstructionKind::kBranch;
  return true;
}

}  // namespace tinytune
