#include "codegen/kernels/kernel.h"

#include <Halide.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include "base/check.h"
#include "base/processor_time.h"
#include "codegen/kernels/c_compiler.h"
#include "codegen/kernels/issue_order.h"
#include "codegen/kernels/long_products.h"
#include "codegen/kernels/machine_code.h"
#include "codegen/kernels/optimise.h"
#include "codegen/kernels/portable_c.h"
#include "codegen/kernels/retarget.h"
#include "codegen/kernels/stage_code.h"
#include "templates/kernel_template.h"
#include "templates/switches.h"

namespace tinytune {
namespace {

/// Turns off linker relaxation in the function, so that the assembler pads before aligned loops.
/// With relaxation (usual on RISC-V) the linker has to pad, which lld refuses up to version 14.
void pad_for_good(std::string& assembly, const std::string& symbol) {
  const size_t label = assembly.find("\n" + symbol + ":");
  assembly.insert(assembly.find('\n', label + 1) + 1, "\t.option\tnorelax\n");
}

// Compiles the kernel's C. It is called by its address only, so any pointer types will do.
Result<std::vector<uint8_t>> compiled_from_c(const llvm::Module& module, const std::string& symbol,
                                             const std::string& body, const Device& device) {
  std::vector<std::string> parameters;
  for (const llvm::Argument& argument : module.getFunction(symbol)->args())
    parameters.push_back("void *" + argument.getName().str());
  return compile_text(portable_c_prelude() + portable_c_function(symbol, parameters, body), device);
}

// input, the constants in the order of pack(), scratch if any, output.
std::vector<std::string> parameter_names(const KernelTemplate& t, const Workload& workload,
                                         const Schedule& schedule) {
  std::vector<std::string> names = {"input"};
  for (const char* constant : t.constants) names.push_back(constant);
  if (t.scratch_bytes(workload, schedule) > 0) names.push_back("scratch");
  names.push_back("output");
  return names;
}

// Preserves use lists: passes walk them, and a round trip through bitcode must not change a kernel.
std::vector<uint8_t> bitcode_of(const llvm::Module& module) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::WriteBitcodeToFile(module, stream, /*ShouldPreserveUseListOrder=*/true);
  return {bytes.begin(), bytes.end()};
}

Result<std::unique_ptr<llvm::Module>> module_of(const std::vector<uint8_t>& bitcode,
                                                llvm::LLVMContext& context) {
  const llvm::StringRef bytes(reinterpret_cast<const char*>(bitcode.data()), bitcode.size());
  auto module = llvm::parseBitcodeFile(llvm::MemoryBufferRef(bytes, "kernel"), context);
  if (module) return std::move(*module);
  return Error(ErrorCode::kFailed, "no bitcode: " + llvm::toString(module.takeError()));
}

// Parses the C or LLVM IR that a template wrote itself.
Result<std::unique_ptr<llvm::Module>> written_module(const Lowered& lowered, const Device& device,
                                                     llvm::LLVMContext& context) {
  if (!lowered.c.empty()) {
    TT_TRY_ASSIGN(const auto bitcode, compile_to_bitcode(lowered.c, device));
    return module_of(bitcode, context);
  }
  llvm::SMDiagnostic problem;
  auto module = llvm::parseAssemblyString(lowered.llvm_assembly, problem, context);
  TT_CHECK(module != nullptr, problem.getMessage().str());
  return module;
}

// Names the core in the IR, so that it compiles without flags: inline assembly does not say which
// instructions it needs.
void name_core(llvm::Module& module, const llvm::TargetMachine& machine) {
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    function.addFnAttr("target-cpu", machine.getTargetCPU());
    function.addFnAttr("target-features", machine.getTargetFeatureString());
  }
}

// An attribute in the bitcode only; take_pointers() removes it, so that printed IR lacks it.
constexpr const char* kStepsItsPointers = "tinytune-steps-its-pointers";

Pointers take_pointers(llvm::Function& function) {
  if (!function.hasFnAttribute(kStepsItsPointers)) return Pointers::kByHalide;
  function.removeFnAttr(kStepsItsPointers);
  return Pointers::kByTemplate;
}

// Whether long products must be expanded here. A compiler of portable C chooses better by itself.
bool lacks_long_products(const Device& device) {
  return device.target.family == CoreFamily::kArmM && !device.target.can(Capability::kMulHigh) &&
         !device.target.portable_kernels;
}

Result<LoweredKernel> lower(const KernelTemplate& t, const Workload& workload,
                            const Schedule& schedule, const Device& device,
                            const std::string& symbol) {
  TT_TRY_ASSIGN(const auto machine, make_target_machine(device));
  LoweredKernel kernel;
  const ProcessorWatch lowering;
  const Lowered lowered = t.lower(workload, schedule, device, symbol);
  kernel.times.lower_ms = lowering.ms();

  const ProcessorWatch optimising;
  set_switches(switches_of(schedule).scheduler);
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  kernel.counted_names = lowered.stages != nullptr;
  if (kernel.counted_names) {
    TT_TRY_ASSIGN(module,
                  code_of_stages(*lowered.stages, symbol, parameter_names(t, workload, schedule),
                                 *machine, context));
    if (lacks_long_products(device)) expand_long_products(*module);
    optimise_stages(*module, *machine);
  } else {
    TT_TRY_ASSIGN(module, written_module(lowered, device, context));
    retarget(*module, *machine);
    if (lacks_long_products(device)) expand_long_products(*module);
    optimise_text(*module, *machine);
    if (lowered.c.empty()) module->getFunction(symbol)->addFnAttr(kStepsItsPointers);
  }
  kernel.bitcode = bitcode_of(*module);
  kernel.times.llvm_ms = optimising.ms();
  return kernel;
}

// Reorders instructions in assembly text, which LLVM then assembles.
Result<std::vector<uint8_t>> ordered_code(llvm::Module& module, llvm::TargetMachine& machine,
                                          const Device& device, Emit kind) {
  TT_TRY_ASSIGN(const auto text, machine_code(module, machine, Emit::kAssembly));
  TT_TRY_ASSIGN(const std::string ordered,
                in_issue_order(std::string(text.begin(), text.end()), device));
  if (kind == Emit::kAssembly) return std::vector<uint8_t>(ordered.begin(), ordered.end());
  llvm::Module assembled(module.getModuleIdentifier(), module.getContext());
  assembled.setTargetTriple(module.getTargetTriple());
  assembled.setDataLayout(module.getDataLayout());
  assembled.setModuleInlineAsm(ordered);
  return machine_code(assembled, machine, kind);
}

Result<LoweredKernel> lower_or_say(const KernelTemplate& t, const Workload& workload,
                                   const Schedule& schedule, const Device& device,
                                   const std::string& symbol) {
  if (!t.supports(workload, device))
    return Error(ErrorCode::kUnsupported,
                 std::string(t.name) + " does not take " + to_text(workload));
  try {
    return lower(t, workload, schedule, device, symbol);
  } catch (const std::exception& e) {
    return Error(ErrorCode::kFailed, "building " + to_text(schedule) + ": " + e.what());
  }
}

}  // namespace

std::string common_schedule(const Schedule& schedule) {
  auto knobs = schedule.knobs();
  std::erase_if(knobs, [](const auto& knob) { return knob.first == kSchedulerKnob; });
  return to_text(Schedule(schedule.template_name(), schedule.version(), std::move(knobs)));
}

Result<LoweredKernel> lower_kernel(const Workload& workload, const Schedule& schedule,
                                   const Device& device, const std::string& symbol) {
  TT_TRY_ASSIGN(const KernelTemplate* t, find_template(schedule));
  return lower_or_say(*t, workload, schedule, device, symbol);
}

Result<CompiledKernel> emit_kernel(const LoweredKernel& lowered, const Schedule& schedule,
                                   const Device& device, const std::string& symbol, Emit kind) {
  const Switches switches = switches_of(schedule);
  TT_TRY_ASSIGN(
      const auto machine,
      make_target_machine(device, switches.aligned_loops ? device.timing.loop_alignment : 0));
  CompiledKernel kernel;
  kernel.symbol = symbol;
  kernel.times = lowered.times;
  const ProcessorWatch emitting;
  llvm::LLVMContext context;
  TT_TRY_ASSIGN(const auto module, module_of(lowered.bitcode, context));
  set_switches(switches.scheduler, take_pointers(*module->getFunction(symbol)));
  if (kind == Emit::kLlvmIr) {
    name_core(*module, *machine);
    llvm::raw_string_ostream(kernel.llvm_ir) << *module;
  } else if (kind == Emit::kPortableC) {
    TT_TRY_ASSIGN(kernel.portable_c, print_portable_c(*module, symbol));
  } else if (kind == Emit::kObject && device.target.portable_kernels) {
    TT_TRY_ASSIGN(const std::string body, print_portable_c(*module, symbol));
    TT_TRY_ASSIGN(kernel.object, compiled_from_c(*module, symbol, body, device));
  } else {
    TT_TRY_ASSIGN(const auto bytes, orders_instructions(device)
                                        ? ordered_code(*module, *machine, device, kind)
                                        : machine_code(*module, *machine, kind));
    if (kind == Emit::kObject)
      kernel.object.assign(bytes.begin(), bytes.end());
    else
      kernel.assembly.assign(bytes.begin(), bytes.end());
    if (switches.aligned_loops && device.target.family == CoreFamily::kRiscv32)
      pad_for_good(kernel.assembly, symbol);
  }
  kernel.times.llvm_ms += emitting.ms();
  return kernel;
}

Result<CompiledKernel> compile_kernel(const Workload& workload, const Schedule& schedule,
                                      const Device& device, const std::string& symbol, Emit kind) {
  TT_TRY_ASSIGN(const KernelTemplate* t, find_template(schedule));
  return compile_kernel(*t, workload, schedule, device, symbol, kind);
}

Result<CompiledKernel> compile_kernel(const KernelTemplate& t, const Workload& workload,
                                      const Schedule& schedule, const Device& device,
                                      const std::string& symbol, Emit kind) {
  TT_TRY_ASSIGN(const LoweredKernel lowered, lower_or_say(t, workload, schedule, device, symbol));
  return emit_kernel(lowered, schedule, device, symbol, kind);
}

}  // namespace tinytune
