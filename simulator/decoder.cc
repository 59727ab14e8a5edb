#include "simulator/decoder.h"

#include <fmt/format.h>
#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>
#include <llvm/Config/llvm-config.h>
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

#include <mutex>
#include <span>
#include <vector>

#include "devices/core_table.h"
#include "simulator/machine_code.h"
#include "simulator/riscv_execute.h"
#include "simulator/vector_unit.h"

namespace tinytune {
namespace {

void initialize_llvm() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeRISCVTargetInfo();
    LLVMInitializeRISCVTargetMC();
    LLVMInitializeRISCVDisassembler();
    LLVMInitializeARMTargetInfo();
    LLVMInitializeARMTargetMC();
    LLVMInitializeARMDisassembler();
  });
}

// Targets with all instructions that LLVM can decode, used only to name refused ones.
struct Everything {
  const char* cpu;
  const char* features;
};
Everything everything_of(CoreFamily family) {
  if (family == CoreFamily::kArmM) return {"cortex-m55", ""};
  return {"generic-rv32", "+m,+a,+f,+d,+c,+v,+zba,+zbb,+zbc,+zbs,+zfh"};
}

/// The features of a Cortex-M55 without floating point.
constexpr const char* kHeliumFeatures = "+v8.1m.main,+mve,+lob,+dsp,+8msecext";

#if LLVM_VERSION_MAJOR == 14
std::span<const llvm::MCPhysReg> until_zero(const llvm::MCPhysReg* list) {
  const llvm::MCPhysReg* end = list;
  while (end != nullptr && *end != 0) ++end;
  return {list, end};
}
auto implicit_uses(const llvm::MCInstrDesc& desc) { return until_zero(desc.getImplicitUses()); }
auto implicit_defs(const llvm::MCInstrDesc& desc) { return until_zero(desc.getImplicitDefs()); }
#else
auto implicit_uses(const llvm::MCInstrDesc& desc) { return desc.implicit_uses(); }
auto implicit_defs(const llvm::MCInstrDesc& desc) { return desc.implicit_defs(); }
#endif

/// Returns whether the target is an Arm core that can have a floating-point unit.
bool has_optional_fpu(const Target& target) {
  return target.family == CoreFamily::kArmM && !sees_eight_registers(target) &&
         target.cpu != "cortex-m3";
}

}  // namespace

struct Decoder::State {
  Target target;
  System system = System::kRefused;
  bool has_fpu = false;
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
  std::unique_ptr<VectorUnit> vectors;  ///< null: none

  std::vector<uint64_t> bits;  ///< by LLVM's register number

  std::string mnemonic(const llvm::MCInst& inst) const {
    std::string text = printer->getMnemonic(&inst).first;
    while (!text.empty() && (text.back() == '\t' || text.back() == ' ')) text.pop_back();
    return text;
  }

  MachineCode freed(const llvm::MCInst& inst) const;
};

MachineCode Decoder::State::freed(const llvm::MCInst& inst) const {
  constexpr int64_t kAlways = 14;  // Arm's condition for "not predicated"
  const llvm::MCInstrDesc& desc = instructions->get(inst.getOpcode());
  const llvm::StringRef name = instructions->getName(inst.getOpcode());
  MachineCode code;
  code.name = {name.data(), name.size()};
  code.defined = desc.getNumDefs();
  code.fixed = desc.getNumOperands();
  for (unsigned i = 0; i < inst.getNumOperands(); ++i) {
    const llvm::MCOperand& from = inst.getOperand(i);
    MachineOperand operand;
    operand.is_register = from.isReg();
    if (from.isReg()) operand.bit = bits[from.getReg()];
    if (from.isImm()) operand.immediate = from.getImm();
    if (i < desc.getNumOperands() && desc.operands().begin()[i].isPredicate() && from.isImm()) {
      code.predicated = from.getImm() != kAlways;
    }
    code.operands.push_back(operand);
  }
  for (const llvm::MCPhysReg reg : implicit_uses(desc)) code.implicit_reads |= bits[reg];
  for (const llvm::MCPhysReg reg : implicit_defs(desc)) code.implicit_writes |= bits[reg];
  code.conditional_branch = desc.isConditionalBranch();
  code.loads = desc.mayLoad();
  code.stores = desc.mayStore();
  return code;
}

Decoder::Decoder(std::unique_ptr<State> state) : state_(std::move(state)) {}
Decoder::Decoder(Decoder&&) noexcept = default;
Decoder& Decoder::operator=(Decoder&&) noexcept = default;
Decoder::~Decoder() = default;

Result<Decoder> Decoder::create(const Target& target, System system) {
  initialize_llvm();
  std::string message;
  const llvm::Target* llvm_target = llvm::TargetRegistry::lookupTarget(target.triple, message);
  if (llvm_target == nullptr) {
    return Error(ErrorCode::kUnsupported, "the simulator has no core for " + target.triple);
  }
  auto state = std::make_unique<State>();
  const llvm::Triple triple(target.triple);
  const llvm::MCTargetOptions options;
  state->target = target;
  state->system = system;
  state->has_fpu = internal::has_fpu(target);
  state->vectors = make_vector_unit(target);
  const bool helium = state->vectors && target.family == CoreFamily::kArmM;
  state->registers.reset(llvm_target->createMCRegInfo(target.triple));
  state->assembly.reset(llvm_target->createMCAsmInfo(*state->registers, target.triple, options));
  state->instructions.reset(llvm_target->createMCInstrInfo());
  state->bits.resize(state->registers->getNumRegs());
  for (unsigned reg = 1; reg < state->bits.size(); ++reg) {
    const char* const name = state->registers->getName(reg);
    state->bits[reg] =
        target.family == CoreFamily::kArmM ? arm_register_bit(name) : riscv_register_bit(name);
    if (state->bits[reg] == 0 && state->has_fpu) state->bits[reg] = arm_float_register_bits(name);
  }
  const auto make = [&](const std::string& cpu, const std::string& features,
                        std::unique_ptr<llvm::MCSubtargetInfo>& subtarget,
                        std::unique_ptr<llvm::MCContext>& context,
                        std::unique_ptr<llvm::MCDisassembler>& disassembler) {
    subtarget.reset(llvm_target->createMCSubtargetInfo(target.triple, cpu, features));
    if (!subtarget) return false;
    context = std::make_unique<llvm::MCContext>(triple, state->assembly.get(),
                                                state->registers.get(), subtarget.get());
    disassembler.reset(llvm_target->createMCDisassembler(*subtarget, *context));
    return disassembler != nullptr;
  };
  const Everything all = everything_of(target.family);
  // A kernel may use only the features of the device file; a program may use all of the core's.
  const bool all_of_it = helium && (system == System::kAllowed || target.can(Capability::kMve));
  if (!make(all_of_it ? "generic" : internal::compiler_cpu(target),
            all_of_it ? kHeliumFeatures : target.features, state->subtarget, state->context,
            state->disassembler) ||
      !make(all.cpu, all.features, state->everything, state->everything_context,
            state->everything_disassembler)) {
    return Error(ErrorCode::kUnsupported, "LLVM cannot disassemble " + target.triple);
  }
  state->printer.reset(
      llvm_target->createMCInstPrinter(triple, state->assembly->getAssemblerDialect(),
                                       *state->assembly, *state->instructions, *state->registers));
  return Decoder(std::move(state));
}

CoreFamily Decoder::family() const { return state_->target.family; }

void Decoder::begin_block() {
  if (state_->target.family != CoreFamily::kArmM) return;
  // LLVM's Thumb disassembler keeps the rest of an IT block as state; NOPs use it up.
  static constexpr uint8_t kNop[] = {0x00, 0xbf};
  llvm::MCInst inst;
  uint64_t size = 0;
  for (int i = 0; i < 4; ++i) {
    for (const auto& disassembler : {&state_->disassembler, &state_->everything_disassembler}) {
      (*disassembler)->getInstruction(inst, size, kNop, 0, llvm::nulls());
    }
  }
}

std::string Decoder::text(std::span<const uint8_t> code, uint32_t address) {
  const llvm::ArrayRef<uint8_t> bytes(code.data(), code.size());
  llvm::MCInst inst;
  uint64_t size = 0;
  begin_block();
  if (state_->disassembler->getInstruction(inst, size, bytes, address, llvm::nulls()) ==
      llvm::MCDisassembler::Fail)
    return "";
  std::string printed;
  llvm::raw_string_ostream stream(printed);
  state_->printer->printInst(&inst, address, "", *state_->subtarget, stream);
  std::string text;
  for (const char c : stream.str())
    if (c != '\t') {
      text += c;
    } else if (!text.empty()) {
      text += ' ';
    }
  return text;
}

Decoder::Decoded Decoder::decode(std::span<const uint8_t> code, uint32_t address) {
  Decoded result;
  Instruction& out = result.instruction;
  out.address = address;
  const llvm::ArrayRef<uint8_t> bytes(code.data(), code.size());
  llvm::MCInst inst;
  uint64_t size = 0;
  if (state_->disassembler->getInstruction(inst, size, bytes, address, llvm::nulls()) !=
      llvm::MCDisassembler::Fail) {
    out.size_bytes = static_cast<uint8_t>(size);
    const MachineCode code = state_->freed(inst);
    uint32_t word = 0;
    for (size_t i = 0; i < size; ++i) word |= uint32_t{bytes[i]} << (8 * i);
    const auto claim = state_->vectors ? state_->vectors->claim(word) : VectorUnit::Claim::kOther;
    const bool arm = state_->target.family == CoreFamily::kArmM;
    const bool in_kernel = arm && state_->system == System::kRefused;
    const bool may_use = !in_kernel || state_->target.can(Capability::kMve);
    const bool vector = claim == VectorUnit::Claim::kRuns && may_use;
    // Engine, which runs kernels, keeps vectors only in the unit, not in the emulator.
    const bool native = in_kernel && state_->vectors && state_->vectors->runs_natively(word);
    // Correction needs a hook at every instruction, which only ProgramEngine has.
    const bool corrected =
        !in_kernel && state_->vectors && state_->vectors->taken_for_another(word);
    const bool allow = state_->system == System::kAllowed || vector;
    const bool simulated = (state_->target.family == CoreFamily::kArmM
                                ? describe_arm(code, allow, state_->has_fpu, out)
                                : describe_riscv(code, allow, out)) &&
                           (claim != VectorUnit::Claim::kLacks || corrected) && !native &&
                           (vector || claim != VectorUnit::Claim::kRuns);
    if (vector) {
      out.by_hand = out.vector = true;
      out.vector_code = word;
    }
    if (state_->target.family == CoreFamily::kRiscv32 && is_bit_manipulation(word))
      out.by_hand = true;
    if (!simulated)
      result.refusal = state_->mnemonic(inst) + " is not simulated" + (native ? " in kernels" : "");
    return result;
  }
  if (state_->everything_disassembler->getInstruction(inst, size, bytes, address, llvm::nulls()) !=
      llvm::MCDisassembler::Fail) {
    out.size_bytes = static_cast<uint8_t>(size);
    const std::string mnemonic = state_->mnemonic(inst);
    result.floating_point = has_optional_fpu(state_->target) && mnemonic.starts_with("v");
    const char* const why = state_->has_fpu
                                ? ": the FPU has single precision only"
                                : ": floating point is not simulated (-mfloat-abi=soft)";
    result.refusal = mnemonic + (result.floating_point ? why : " is not in " + state_->target.isa);
    return result;
  }
  out.size_bytes = 2;
  uint32_t word = 0;
  for (size_t i = 0; i < 4 && i < code.size(); ++i) word |= uint32_t{code[i]} << (8 * i);
  result.refusal = fmt::format("undefined instruction {:#010x}", word);
  return result;
}

}  // namespace tinytune
