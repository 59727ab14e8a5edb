#include <algorithm>
#include <array>
#include <bit>
#include <string>

#include "simulator/machine_code.h"

namespace tinytune {
namespace {

constexpr int kPc = 15, kFlags = 16, kFloatFlags = 17, kFirstFloat = 32;
constexpr uint64_t kPcBit = uint64_t{1} << kPc;

bool starts_with_any(std::string_view name, std::initializer_list<std::string_view> prefixes) {
  for (std::string_view prefix : prefixes) {
    if (name.starts_with(prefix)) return true;
  }
  return false;
}

// Exceptions, special registers and sleeping. NOP is a hint, with operand 0.
bool is_system(const MachineCode& code) {
  if (code.name == "tHINT" || code.name == "t2HINT") return code.operands[0].immediate != 0;
  return starts_with_any(code.name, {"tSVC", "tBKPT", "tUDF", "t2UDF", "tCPS", "t2CPS", "t2MRS",
                                     "t2MSR", "t2HVC", "t2SMC", "tHLT", "t2DCPS", "t2DBG"});
}

// Helium and the loads, stores and moves of the floating-point unit.
bool is_vector(std::string_view name) { return starts_with_any(name, {"MVE_", "V"}); }
// Low-overhead loops: they start or end with a jump.
bool is_loop(std::string_view name) {
  return starts_with_any(name, {"t2LE", "t2WLS", "MVE_LETP", "MVE_WLSTP"});
}

bool is_load(std::string_view name) {
  return starts_with_any(name, {"tLDR", "t2LDR", "tLDM", "t2LDM", "tPOP", "t2LDA"});
}
bool is_store(std::string_view name) {
  return starts_with_any(name, {"tSTR", "t2STR", "tSTM", "t2STM", "tPUSH", "t2STL"});
}
bool is_multiple(std::string_view name) {
  return starts_with_any(name, {"tLDM", "t2LDM", "tPOP", "tSTM", "t2STM", "tPUSH"});
}
bool is_multiply_high(std::string_view name) {
  return starts_with_any(name, {"t2SMULL", "t2UMULL", "t2SMLAL", "t2UMLAL", "t2UMAAL", "t2SMLSLD",
                                "t2SMMUL", "t2SMMLA", "t2SMMLS"});
}
bool is_multiply(std::string_view name) {
  return starts_with_any(
      name, {"tMUL", "t2MUL", "t2MLA", "t2MLS", "t2SMUL", "t2SMLA", "t2SMUA", "t2SMUS", "t2SMLS"});
}
// Packed arithmetic, saturation, bit fields, extension.
bool is_complex(std::string_view name) {
  return starts_with_any(
      name, {"t2SXT",   "t2UXT",   "tSXT",    "tUXT",   "t2PKH",  "t2REV",  "tREV",   "t2RBIT",
             "t2CLZ",   "t2BFI",   "t2BFC",   "t2SBFX", "t2UBFX", "t2SSAT", "t2USAT", "t2QADD",
             "t2QSUB",  "t2QDADD", "t2QDSUB", "t2SADD", "t2UADD", "t2SSUB", "t2USUB", "t2SHADD",
             "t2UHADD", "t2SEL",   "t2UQ",    "t2USAD", "t2SASX", "t2SSAX", "t2UASX", "t2USAX"});
}

bool is_extension(std::string_view name) {
  for (const char* plain : {"SXTH", "SXTB", "UXTH", "UXTB"})
    if (name == std::string("t") + plain || name == std::string("t2") + plain) return true;
  return false;
}

/// Returns the register that is shifted: the last one before the shift's amount.
uint64_t shifted_operand(const MachineCode& code) {
  uint64_t bit = 0;
  for (const MachineOperand& operand : code.operands) {
    if (operand.is_register) {
      if (operand.bit != uint64_t{1} << kFlags) bit = operand.bit;
    } else if (bit != 0) {
      break;
    }
  }
  return bit;
}

/// Returns the byte offset of a word load from its base register; -1: not known.
int16_t word_offset(const MachineCode& code) {
  if (code.operands.size() < 3) return -1;
  const int64_t value = code.operands[2].immediate;
  if (code.name == "tLDRi" || code.name == "tLDRspi") return static_cast<int16_t>(value * 4);
  return code.name == "t2LDRi12" ? static_cast<int16_t>(value) : int16_t{-1};
}

bool accumulates(std::string_view name) {
  return starts_with_any(name, {"t2MLA", "t2MLS", "t2SMLA", "t2SMLS", "t2SMMLA", "t2SMMLS"});
}

/// Returns all registers but the two factors: addends, which follow them, and the predicate.
uint64_t added_reads(const MachineCode& code) {
  uint64_t factors = 0;
  for (size_t i = code.defined; i < std::min<size_t>(code.operands.size(), code.defined + 2); ++i)
    factors |= code.operands[i].bit;
  return ((uint64_t{1} << (kFlags + 1)) - 1) & ~factors;
}

FloatKind float_kind_of(const MachineCode& code) {
  if (starts_with_any(code.name, {"FMSTAT", "FCONST"})) return FloatKind::kMove;
  if (!code.name.starts_with("V") || code.name.starts_with("VLLDM") ||
      code.name.starts_with("VLSTM"))
    return FloatKind::kNone;
  if (starts_with_any(code.name, {"VDIV", "VSQRT"})) return FloatKind::kDivide;
  if (starts_with_any(code.name,
                      {"VMLA", "VMLS", "VNMLA", "VNMLS", "VFMA", "VFMS", "VFNMA", "VFNMS"}))
    return FloatKind::kAccumulate;
  return code.loads || code.stores ||
                 starts_with_any(code.name, {"VMOV", "VMRS", "VMSR", "VLDM", "VSTM"})
             ? FloatKind::kMove
             : FloatKind::kArithmetic;
}

bool is_float_multiple(std::string_view name) { return starts_with_any(name, {"VLDM", "VSTM"}); }

/// Describes the floating-point registers that an instruction loads or stores: a list, or one.
void describe_float_memory(const MachineCode& code, Instruction& out) {
  uint64_t moved = 0;
  const size_t first = is_float_multiple(code.name) ? code.fixed - 1 : 0;
  const size_t end = is_float_multiple(code.name) ? code.operands.size() : 1;
  for (size_t i = first; i < end; ++i) moved |= code.operands[i].bit;
  moved &= ~((uint64_t{1} << kFirstFloat) - 1);
  out.doubles = code.name.starts_with("VLDRD") || code.name.starts_with("VSTRD") ||
                code.name.starts_with("VLDMD") || code.name.starts_with("VSTMD");
  out.words = static_cast<uint8_t>(std::popcount(moved));
  // A store's only operand is declared as read; of a list, what is loaded is written.
  out.reads &= ~moved;
  (out.is_load() ? out.writes : out.reads) |= moved;
  out.address_reads = out.reads & ~moved & ~(uint64_t{1} << kFlags);
}

InstructionKind kind_of(const MachineCode& code) {
  const std::string_view name = code.name;
  if (code.conditional_branch || is_loop(name)) return InstructionKind::kBranch;
  if (is_vector(name) && code.loads != code.stores)
    return code.loads ? InstructionKind::kLoad : InstructionKind::kStore;
  if (name == "tB" || name == "t2B") {
    return code.predicated ? InstructionKind::kBranch : InstructionKind::kJump;
  }
  if (name == "tBL") return InstructionKind::kJump;
  if (starts_with_any(name, {"tBX", "tBLX", "t2TBB", "t2TBH"})) {
    return InstructionKind::kJumpIndirect;
  }
  if (is_load(name)) return InstructionKind::kLoad;
  if (is_store(name)) return InstructionKind::kStore;
  if (is_multiply_high(name)) return InstructionKind::kMultiplyHigh;
  if (is_multiply(name)) return InstructionKind::kMultiply;
  if (name == "t2SDIV" || name == "t2UDIV") return InstructionKind::kDivide;
  return InstructionKind::kAlu;
}

void describe_memory(const MachineCode& code, Instruction& out) {
  const bool load = out.is_load();
  if (is_multiple(code.name)) {
    // Base and predicate, then the list, whose first member counts as fixed.
    uint64_t list = 0;
    for (size_t i = code.fixed - 1; i < code.operands.size(); ++i) list |= code.operands[i].bit;
    out.words = static_cast<uint8_t>(std::popcount(list));
    if (load) {
      out.reads &= ~list | out.writes;
      out.writes |= list;
      out.address_reads = out.reads;
    } else {
      out.address_reads = out.reads & ~list;
    }
    return;
  }
  const bool pair = starts_with_any(code.name, {"t2LDRD", "t2STRD"});
  if (pair) {
    const size_t first = load ? 0 : code.defined;
    out.words = 2;
    out.descending = code.operands[first].bit > code.operands[first + 1].bit;
  }
  size_t base = load ? code.defined : code.defined + out.words;
  out.address_reads = 0;
  int registers = 0;
  for (; base < code.operands.size(); ++base) {
    const MachineOperand& operand = code.operands[base];
    if (!operand.is_register || operand.bit == uint64_t{1} << kFlags) continue;
    if (operand.bit == 0) continue;
    out.address_reads |= operand.bit;
    ++registers;
  }
  out.register_offset = registers > 1;
}

}  // namespace

uint64_t arm_register_bit(std::string_view name) {
  static constexpr std::array<std::string_view, kFlags + 1> kNames = {
      "R0", "R1",  "R2",  "R3",  "R4", "R5", "R6", "R7",  "R8",
      "R9", "R10", "R11", "R12", "SP", "LR", "PC", "CPSR"};
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return uint64_t{1} << i;
  }
  return 0;
}

uint64_t arm_float_register_bits(std::string_view name) {
  if (name.starts_with("FPSCR")) return uint64_t{1} << kFloatFlags;
  if (name.size() < 2 || (name[0] != 'S' && name[0] != 'D')) return 0;
  int number = 0;
  for (const char c : name.substr(1)) {
    if (c < '0' || c > '9') return 0;
    number = number * 10 + (c - '0');
  }
  if (name[0] == 'S') return number < 32 ? uint64_t{1} << (kFirstFloat + number) : 0;
  return number < 16 ? uint64_t{3} << (kFirstFloat + 2 * number) : 0;
}

bool describe_arm(const MachineCode& code, bool allow_system, bool floats, Instruction& out) {
  if (is_system(code)) {
    if (!allow_system) return false;
    out.by_hand = starts_with_any(code.name, {"tBKPT", "tSVC", "tUDF", "t2UDF", "tHLT"});
  }
  out.reads = code.implicit_reads;
  out.writes = code.implicit_writes;
  for (size_t i = 0; i < code.operands.size(); ++i) {
    (i < code.defined ? out.writes : out.reads) |= code.operands[i].bit;
  }
  out.kind = kind_of(code);
  if (!is_vector(code.name) && (out.is_load() || out.is_store())) describe_memory(code, out);
  if (floats) out.floating = float_kind_of(code);
  if (out.is_float() && (out.is_load() || out.is_store())) describe_float_memory(code, out);
  if (accumulates(code.name) && code.operands.size() > 3) out.late_reads = code.operands[3].bit;
  if (out.is_multiply()) out.added_reads = added_reads(code);
  if (out.kind == InstructionKind::kJumpIndirect) out.address_reads = out.reads & ~kPcBit;
  for (const MachineOperand& operand : code.operands) {
    if (out.kind == InstructionKind::kBranch && operand.immediate < 0) out.backward = true;
  }
  out.call = starts_with_any(code.name, {"tBL"});
  const auto named = [&](std::string_view part) { return code.name.find(part) != code.name.npos; };
  out.narrow = named("LDRB") || named("LDRSB") || named("LDRH") || named("LDRSH") || named("STRB");
  out.offset = word_offset(code);
  out.aligned_only = (out.is_float() && (out.is_load() || out.is_store())) ||
                     is_multiple(code.name) || out.words > 1 ||
                     starts_with_any(code.name, {"t2LDREX", "t2STREX", "t2LDA", "t2STL"});
  out.complex = out.kind == InstructionKind::kAlu && is_complex(code.name);
  const bool shifts = out.kind == InstructionKind::kAlu && code.name.ends_with("rs");
  out.shifted = shifts || starts_with_any(code.name, {"t2SXTA", "t2UXTA"});
  // The Cortex-M7 shifts early and adds late; it does plain extensions late, too (jnk0le).
  if (shifts) out.late_reads = out.reads & ~shifted_operand(code);
  if (out.complex && is_extension(code.name)) out.late_reads = out.reads;
  out.reads &= ~kPcBit;
  out.address_reads &= ~kPcBit;
  out.conditional = out.kind == InstructionKind::kBranch || code.predicated;
  out.ends_block = out.kind >= InstructionKind::kBranch || (out.writes & kPcBit) != 0;
  out.writes &= ~kPcBit;
  return true;
}

}  // namespace tinytune
