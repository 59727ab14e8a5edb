#include "simulator/decoder.h"

#include <fmt/format.h>
#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/raw_ostream.h>

#include <map>
#include <mutex>
#include <string_view>

namespace tinytune {
namespace {

void initialize_llvm() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeRISCVTargetInfo();
    LLVMInitializeRISCVTargetMC();
    LLVMInitializeRISCVDisassembler();
  });
}

// Every extension LLVM 14 can decode: only to name what a device refuses.
constexpr const char* kEveryRiscvFeature =
    "+m,+a,+f,+d,+c,+v,+zba,+zbb,+zbc,+zbs,+zfh";

// Kinds that LLVM's instruction descriptions do not tell apart, by LLVM's opcode names.
const std::map<std::string_view, InstructionKind>& riscv_kinds() {
  static const std::map<std::string_view, InstructionKind> kKinds = {
      {"MUL", InstructionKind::kMultiply},
      {"MULH", InstructionKind::kMultiplyHigh},
      {"MULHSU", InstructionKind::kMultiplyHigh},
      {"MULHU", InstructionKind::kMultiplyHigh},
      {"DIV", InstructionKind::kDivide},
      {"DIVU", InstructionKind::kDivide},
      {"REM", InstructionKind::kDivide},
      {"REMU", InstructionKind::kDivide},
      {"JAL", InstructionKind::kJump},
      {"C_JAL", InstructionKind::kJump},
      {"C_J", InstructionKind::kJump},
      {"JALR", InstructionKind::kJumpIndirect},
      {"C_JR", InstructionKind::kJumpIndirect},
      {"C_JALR", InstructionKind::kJumpIndirect},
      {"FENCE", InstructionKind::kAlu},
  };
  return kKinds;
}

// A kernel has no business with these, and no handler or counter is there to answer.
bool is_riscv_system(std::string_view name) {
  return name.starts_with("CSR") || name == "ECALL" || name == "EBREAK" || name == "C_EBREAK" ||
         name == "UNIMP" || name == "C_UNIMP" || name == "MRET" || name == "SRET" ||
         name == "URET" || name == "WFI" || name == "FENCE_I" || name == "SFENCE_VMA";
}

}  // namespace

struct Decoder::State {
  Target target;
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> assembly;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
  std::unique_ptr<llvm::MCSubtargetInfo> everything;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCContext> context;
  std::unique_ptr<llvm::MCContext> everything_context;
  std::unique_ptr<llvm::MCDisassembler> disassembler;
  std::unique_ptr<llvm::MCDisassembler> everything_disassembler;
  std::unique_ptr<llvm::MCInstPrinter> printer;

  uint64_t bit(unsigned reg) const {
    const unsigned number = registers->getEncodingValue(reg);
    return number == 0 || number >= 64 ? 0 : uint64_t{1} << number;  // x0 is no register
  }

  std::string mnemonic(const llvm::MCInst& inst) const {
    std::string text = printer->getMnemonic(&inst).first;
    while (!text.empty() && (text.back() == '\t' || text.back() == ' ')) text.pop_back();
    return text;
  }

  void describe(const llvm::MCInst& inst, Instruction& out) const;
};

void Decoder::State::describe(const llvm::MCInst& inst, Instruction& out) const {
  const llvm::MCInstrDesc& desc = instructions->get(inst.getOpcode());
  for (unsigned i = 0; i < inst.getNumOperands(); ++i) {
    if (!inst.getOperand(i).isReg()) continue;
    const uint64_t reg = bit(inst.getOperand(i).getReg());
    (i < desc.getNumDefs() ? out.writes : out.reads) |= reg;
  }
  if (const llvm::MCPhysReg* implicit = desc.getImplicitUses()) {
    for (; *implicit != 0; ++implicit) out.reads |= bit(*implicit);
  }
  if (const llvm::MCPhysReg* implicit = desc.getImplicitDefs()) {
    for (; *implicit != 0; ++implicit) out.writes |= bit(*implicit);
  }

  const llvm::StringRef llvm_name = instructions->getName(inst.getOpcode());
  const std::string_view name(llvm_name.data(), llvm_name.size());
  const auto known = riscv_kinds().find(name);
  if (known != riscv_kinds().end()) {
    out.kind = known->second;
  } else if (desc.isConditionalBranch()) {
    out.kind = InstructionKind::kBranch;
  } else if (desc.mayLoad()) {
    out.kind = InstructionKind::kLoad;
    out.address_reads = out.reads;
  } else if (desc.mayStore()) {
    out.kind = InstructionKind::kStore;
    // Value, base, offset.
    if (inst.getNumOperands() > 1 && inst.getOperand(1).isReg()) {
      out.address_reads = bit(inst.getOperand(1).getReg());
    }
  } else if (out.kind == InstructionKind::kAlu && desc.isBranch()) {
    out.kind = InstructionKind::kJump;
  }
  if (out.kind == InstructionKind::kJumpIndirect) out.address_reads = out.reads;
}

Decoder::Decoder(std::unique_ptr<State> state) : state_(std::move(state)) {}
Decoder::Decoder(Decoder&&) noexcept = default;
Decoder& Decoder::operator=(Decoder&&) noexcept = default;
Decoder::~Decoder() = default;

Result<Decoder> Decoder::create(const Target& target) {
  initialize_llvm();
  std::string message;
  const llvm::Target* llvm_target = llvm::TargetRegistry::lookupTarget(target.triple, message);
  if (llvm_target == nullptr || target.family != CoreFamily::kRiscv32) {
    return Error(ErrorCode::kUnsupported, "the simulator has no core for " + target.triple);
  }
  auto state = std::make_unique<State>();
  const llvm::Triple triple(target.triple);
  const llvm::MCTargetOptions options;
  state->target = target;
  state->registers.reset(llvm_target->createMCRegInfo(target.triple));
  state->assembly.reset(llvm_target->createMCAsmInfo(*state->registers, target.triple, options));
  state->instructions.reset(llvm_target->createMCInstrInfo());
  const auto make = [&](const std::string& features,
                        std::unique_ptr<llvm::MCSubtargetInfo>& subtarget,
                        std::unique_ptr<llvm::MCContext>& context,
                        std::unique_ptr<llvm::MCDisassembler>& disassembler) {
    subtarget.reset(llvm_target->createMCSubtargetInfo(target.triple, target.cpu, features));
    if (!subtarget) return false;
    context = std::make_unique<llvm::MCContext>(triple, state->assembly.get(),
                                                state->registers.get(), subtarget.get());
    disassembler.reset(llvm_target->createMCDisassembler(*subtarget, *context));
    return disassembler != nullptr;
  };
  if (!make(target.features, state->subtarget, state->context, state->disassembler) ||
      !make(kEveryRiscvFeature, state->everything, state->everything_context,
            state->everything_disassembler)) {
    return Error(ErrorCode::kUnsupported, "LLVM cannot disassemble " + target.triple);
  }
  state->printer.reset(
      llvm_target->createMCInstPrinter(triple, state->assembly->getAssemblerDialect(),
                                       *state->assembly, *state->instructions, *state->registers));
  return Decoder(std::move(state));
}

Decoder::Decoded Decoder::decode(std::span<const uint8_t> code, uint32_t address) {
  Decoded result;
  Instruction& out = result.instruction;
  out.address = address;
  const llvm::ArrayRef<uint8_t> bytes(code.data(), code.size());
  llvm::MCInst inst;
  uint64_t size = 0;
  if (state_->disassembler->getInstruction(inst, size, bytes, address, llvm::nulls()) ==
      llvm::MCDisassembler::Success) {
    out.size_bytes = static_cast<uint8_t>(size);
    const llvm::StringRef name = state_->instructions->getName(inst.getOpcode());
    if (is_riscv_system({name.data(), name.size()})) {
      result.refusal = state_->mnemonic(inst) + " is not simulated";
      return result;
    }
    state_->describe(inst, out);
    return result;
  }
  if (state_->everything_disassembler->getInstruction(inst, size, bytes, address, llvm::nulls()) ==
      llvm::MCDisassembler::Success) {
    out.size_bytes = static_cast<uint8_t>(size);
    result.refusal = state_->mnemonic(inst) + " is not in " + state_->target.isa;
    return result;
  }
  out.size_bytes = 2;
  uint32_t word = 0;
  for (size_t i = 0; i < 4 && i < code.size(); ++i) word |= uint32_t{code[i]} << (8 * i);
  result.refusal = fmt::format("undefined instruction {:#010x}", word);
  return result;
}

}  // namespace tinytune
