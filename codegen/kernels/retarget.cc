#include "codegen/kernels/retarget.h"

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Target/TargetOptions.h>
#include <llvm/Transforms/IPO.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Utils.h>
#include <llvm/Transforms/Utils/LowerMemIntrinsics.h>

#include <map>

#include "base/check.h"

namespace tinytune {
namespace {

void initialise_targets() {
  static const bool once = [] {
    LLVMInitializeRISCVTargetInfo();
    LLVMInitializeRISCVTarget();
    LLVMInitializeRISCVTargetMC();
    LLVMInitializeRISCVAsmPrinter();
    LLVMInitializeARMTargetInfo();
    LLVMInitializeARMTarget();
    LLVMInitializeARMTargetMC();
    LLVMInitializeARMAsmPrinter();
    LLVMInitializeARMAsmParser();  // kernels contain assembly
    return true;
  }();
  (void)once;
}

// Halide's passes gather neighbouring stores into memset; without a C library they become loops.
void expand_memory_intrinsics(llvm::Module& module) {
  std::vector<llvm::MemIntrinsic*> calls;
  for (llvm::Function& f : module)
    for (llvm::BasicBlock& block : f)
      for (llvm::Instruction& i : block)
        if (auto* call = llvm::dyn_cast<llvm::MemIntrinsic>(&i)) calls.push_back(call);
  for (llvm::MemIntrinsic* call : calls) {
    if (auto* set = llvm::dyn_cast<llvm::MemSetInst>(call)) {
      llvm::expandMemSetAsLoop(set);
    } else if (auto* move = llvm::dyn_cast<llvm::MemMoveInst>(call)) {
      llvm::expandMemMoveAsLoop(move);
    } else {
      auto* copy = llvm::cast<llvm::MemCpyInst>(call);
      llvm::expandMemCpyAsLoop(copy, llvm::TargetTransformInfo(module.getDataLayout()));
    }
    call->eraseFromParent();
  }
}

constexpr unsigned kHostField = 2;  // of halide_buffer_t {u64 device, ptr interface, u8* host, …}

// Fails where a stage reads a field of `buffer`, its argument, other than the host pointer.
// Halide's passes have run: fields that nothing needs are no longer read. Afterwards nothing could
// be told, since SROA makes what was never stored undefined and no load remains.
Status check_reads(llvm::Argument& buffer, const Stage& stage, const std::string& name) {
  const llvm::DataLayout& layout = buffer.getParent()->getParent()->getDataLayout();
  auto* type = llvm::cast<llvm::StructType>(buffer.getType()->getPointerElementType());
  const llvm::StructLayout* fields = layout.getStructLayout(type);
  std::vector<std::pair<llvm::Value*, int64_t>> addresses = {{&buffer, 0}};
  const auto refuse = [&](const std::string& what) {
    return Error(ErrorCode::kFailed, stage.symbol + " " + what + " of buffer '" + name +
                                         "'; callers pass its host pointer alone, so the template "
                                         "must fix its bounds and strides");
  };
  while (!addresses.empty()) {
    const auto [address, offset] = addresses.back();
    addresses.pop_back();
    for (llvm::User* user : address->users()) {
      if (llvm::isa<llvm::BitCastInst>(user)) {
        addresses.emplace_back(user, offset);
      } else if (auto* step = llvm::dyn_cast<llvm::GetElementPtrInst>(user)) {
        llvm::APInt bytes(layout.getIndexTypeSizeInBits(step->getType()), 0);
        if (!step->accumulateConstantOffset(layout, bytes)) return refuse("indexes the struct");
        addresses.emplace_back(step, offset + bytes.getSExtValue());
      } else if (llvm::isa<llvm::LoadInst>(user)) {
        const unsigned field = fields->getElementContainingOffset(static_cast<uint64_t>(offset));
        if (field != kHostField) return refuse("reads field " + std::to_string(field));
      } else {
        return refuse("hands on the struct");
      }
    }
  }
  return ok_status();
}

}  // namespace

Result<std::unique_ptr<llvm::TargetMachine>> make_target_machine(const Device& device,
                                                                 unsigned loop_alignment) {
  initialise_targets();
  const Target& t = device.target;
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
      target->createTargetMachine(t.triple, t.cpu, t.features, options, llvm::Reloc::Static,
                                  llvm::None, llvm::CodeGenOpt::Aggressive));
  if (machine == nullptr)
    return Error(ErrorCode::kUnsupported,
                 "device " + device.name + ": LLVM refuses triple " + t.triple);
  // Templates would use intrinsics that instruction selection dies of.
  if (t.can(Capability::kDsp) && !machine->getMCSubtargetInfo()->checkFeatures("+dsp"))
    return Error(ErrorCode::kUnsupported,
                 "device " + device.name + " lists capability dsp, LLVM's " + t.cpu + " lacks it");
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

Status wrap_stages(llvm::Module& module, const std::string& symbol,
                   const std::vector<std::string>& parameters, const std::vector<Stage>& stages) {
  llvm::LLVMContext& context = module.getContext();
  llvm::IRBuilder<> builder(context);
  const std::vector<llvm::Type*> types(parameters.size(), builder.getInt8PtrTy());
  auto* wrapper = llvm::Function::Create(llvm::FunctionType::get(builder.getVoidTy(), types, false),
                                         llvm::GlobalValue::ExternalLinkage, symbol, module);
  wrapper->addFnAttr(llvm::Attribute::NoUnwind);
  std::map<std::string, llvm::Argument*> argument;
  for (size_t i = 0; i < parameters.size(); ++i) {
    llvm::Argument* a = wrapper->getArg(static_cast<unsigned>(i));
    a->setName(parameters[i]);
    a->addAttr(llvm::Attribute::NoAlias);
    argument[parameters[i]] = a;
  }
  for (llvm::Function& f : module)
    if (&f != wrapper && !f.isDeclaration()) f.setLinkage(llvm::GlobalValue::InternalLinkage);

  builder.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", wrapper));
  for (const Stage& stage : stages) {
    llvm::Function* function = module.getFunction(stage.symbol);
    TT_CHECK(function != nullptr && function->arg_size() == stage.buffers.size(), stage.symbol);
    function->removeFnAttr(llvm::Attribute::NoInline);
    function->addFnAttr(llvm::Attribute::AlwaysInline);
    std::vector<llvm::Value*> arguments;
    for (size_t i = 0; i < stage.buffers.size(); ++i) {
      TT_CHECK(argument.count(stage.buffers[i]) == 1, "no parameter " + stage.buffers[i]);
      llvm::Argument* parameter = function->getArg(static_cast<unsigned>(i));
      TT_TRY(check_reads(*parameter, stage, stage.buffers[i]));
      llvm::Type* type = parameter->getType()->getPointerElementType();
      llvm::Value* buffer = builder.CreateAlloca(type);
      builder.CreateStore(argument[stage.buffers[i]],
                          builder.CreateStructGEP(type, buffer, kHostField));
      arguments.push_back(buffer);
    }
    builder.CreateCall(function, arguments);
  }
  builder.CreateRetVoid();
  return ok_status();
}

void optimise(llvm::Module& module, llvm::TargetMachine& machine) {
  expand_memory_intrinsics(module);
  llvm::legacy::PassManager passes;
  passes.add(llvm::createTargetTransformInfoWrapperPass(machine.getTargetIRAnalysis()));
  // Halide's own pipeline has run. What is left is what the wrapper makes possible: inlining, then
  // scalars out of the structs, then loads that the arguments' noalias lets move.
  passes.add(llvm::createAlwaysInlinerLegacyPass());
  passes.add(llvm::createSROAPass());
  passes.add(llvm::createEarlyCSEPass(/*UseMemorySSA=*/true));
  passes.add(llvm::createInstructionCombiningPass());
  passes.add(llvm::createCFGSimplificationPass());
  passes.add(llvm::createLoopRotatePass());
  passes.add(llvm::createLICMPass());
  passes.add(llvm::createGVNPass());
  passes.add(llvm::createIndVarSimplifyPass());
  passes.add(llvm::createDeadStoreEliminationPass());
  passes.add(llvm::createInstructionCombiningPass());
  passes.add(llvm::createCFGSimplificationPass());
  passes.add(llvm::createGlobalDCEPass());
  passes.run(module);
}

void set_switches(const std::string& scheduler) {
  const bool machine_scheduler = scheduler == "pressure";
  const char* arguments[] = {
      "tinytune", "-disable-loop-idiom-all",  // no C library under a kernel: no calls of memset
      scheduler == "ilp" ? "-pre-RA-sched=list-ilp" : "-pre-RA-sched=source",
      machine_scheduler ? "-enable-misched=true" : "-enable-misched=false"};
  llvm::cl::ResetAllOptionOccurrences();
  llvm::cl::ParseCommandLineOptions(static_cast<int>(std::size(arguments)), arguments);
}

}  // namespace tinytune
