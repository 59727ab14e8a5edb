#include "codegen/kernels/retarget.h"

#include <llvm/Config/llvm-config.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Target/TargetOptions.h>

#include <optional>

#include "devices/core_table.h"

namespace tinytune {
namespace {

#if LLVM_VERSION_MAJOR == 14
const auto kAnyCodeModel = llvm::None;
constexpr auto kAggressive = llvm::CodeGenOpt::Aggressive;
#else
constexpr auto kAnyCodeModel = std::nullopt;
constexpr auto kAggressive = llvm::CodeGenOptLevel::Aggressive;
#endif

void initialise_targets() {
  static const bool kOnce = [] {
    LLVMInitializeRISCVTargetInfo();
    LLVMInitializeRISCVTarget();
    LLVMInitializeRISCVTargetMC();
    LLVMInitializeRISCVAsmPrinter();
    LLVMInitializeRISCVAsmParser();  // kernels contain assembly
    LLVMInitializeARMTargetInfo();
    LLVMInitializeARMTarget();
    LLVMInitializeARMTargetMC();
    LLVMInitializeARMAsmPrinter();
    LLVMInitializeARMAsmParser();
    return true;
  }();
  (void)kOnce;
}

}  // namespace

Result<std::unique_ptr<llvm::TargetMachine>> make_target_machine(const Device& device,
                                                                 unsigned loop_alignment) {
  initialise_targets();
  const Target t = internal::without_fpu(device.target);
  std::string why;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(t.triple, why);
  if (target == nullptr)
    return Error(ErrorCode::kUnsupported, "device " + device.name + ": " + why);
  llvm::TargetOptions options;
  options.MCOptions.ABIName = t.abi;
  options.FloatABIType = llvm::FloatABI::Soft;
  options.FunctionSections = true;
  options.LoopAlignment = loop_alignment;
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(t.triple, internal::compiler_cpu(t), t.features, options,
                                  llvm::Reloc::Static, kAnyCodeModel, kAggressive));
  if (machine == nullptr)
    return Error(ErrorCode::kUnsupported,
                 "device " + device.name + ": LLVM refuses triple " + t.triple);
  // Templates would use intrinsics on which instruction selection aborts.
  if (t.can(Capability::kDsp) && !machine->getMCSubtargetInfo()->checkFeatures("+dsp"))
    return Error(ErrorCode::kUnsupported, "device " + device.name +
                                              " lists capability dsp, LLVM's " +
                                              internal::compiler_cpu(t) + " lacks it");
  return machine;
}

void retarget(llvm::Module& module, llvm::TargetMachine& machine) {
  module.setTargetTriple(machine.getTargetTriple().str());
  module.setDataLayout(machine.createDataLayout());
  // Halide's flags name the double-float ABI of its own RISC-V target.
  if (auto* flags = module.getNamedMetadata("llvm.module.flags")) module.eraseNamedMetadata(flags);
  for (llvm::Function& f : module)
    for (const char* attribute : {"target-cpu", "target-features", "tune-cpu"})
      f.removeFnAttr(attribute);
}

void set_switches(const std::string& scheduler, Pointers pointers) {
  const bool machine_scheduler = scheduler == "pressure";
  const bool by_template = pointers == Pointers::kByTemplate;
  const char* arguments[] = {
      "tinytune", "-disable-loop-idiom-all",  // no C library under a kernel: no calls of memset
      scheduler == "ilp" ? "-pre-RA-sched=list-ilp" : "-pre-RA-sched=source",
      machine_scheduler ? "-enable-misched=true" : "-enable-misched=false",
      by_template ? "-disable-lsr=true" : "-disable-lsr=false",
      // If a select is a branch (RISC-V), values sink into its sides, which extends the live ranges
      // of their operands: an unrolled tile then spills.
      by_template ? "-disable-machine-sink=false" : "-disable-machine-sink=true"};
  llvm::cl::ResetAllOptionOccurrences();
  llvm::cl::ParseCommandLineOptions(static_cast<int>(std::size(arguments)), arguments);
}

}  // namespace tinytune
