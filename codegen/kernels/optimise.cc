#include "codegen/kernels/optimise.h"

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/Utils/LowerMemIntrinsics.h>
#if LLVM_VERSION_MAJOR == 14
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/Transforms/IPO.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar.h>
#include <llvm/Transforms/Scalar/GVN.h>
#endif

#include <string>
#include <vector>

#include "base/check.h"

namespace tinytune {
namespace {

// -O3 without the passes that do not change kernels, and without memcpyopt, which turns
// neighbouring stores into memset: kernels have no C library. A loop is unrolled fully or not at
// all: partial unrolling is a knob of the templates.
constexpr const char* kStagePasses =
    "function("
    "sroa,early-cse,instcombine,simplifycfg,sroa,early-cse<memssa>,correlated-propagation,"
    "reassociate,loop-mssa(loop-rotate,licm,simple-loop-unswitch<nontrivial>),simplifycfg,"
    "instcombine,loop(indvars),loop(loop-deletion,loop-unroll-full),gvn,instcombine,dse,"
    "loop-mssa(licm),simplifycfg,loop-unroll<O3;no-partial;no-runtime;no-upperbound>,"
    "instcombine,loop-mssa(licm),instsimplify,simplifycfg)";

/// Results of analyses, which passes share.
struct Analyses {
  explicit Analyses(llvm::PassBuilder& builder) {
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
  }

  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
};

/// Turns off a check of LLVM 18 and later, which ends the process if one round of instcombine
/// leaves more to do.
std::string without_fixpoint_check(std::string names) {
#if LLVM_VERSION_MAJOR >= 18
  const std::string pass = "instcombine", unchecked = pass + "<no-verify-fixpoint>";
  for (size_t at = 0; (at = names.find(pass, at)) != std::string::npos; at += unchecked.size())
    names.replace(at, pass.size(), unchecked);
#endif
  return names;
}

template <typename Passes>
Passes parsed(llvm::PassBuilder& builder, const char* names) {
  Passes passes;
  if (auto wrong = builder.parsePassPipeline(passes, without_fixpoint_check(names)))
    TT_CHECK(false, llvm::toString(std::move(wrong)));
  return passes;
}

void run_passes(llvm::Module& module, llvm::TargetMachine& machine, const char* names) {
  llvm::PipelineTuningOptions options;
  options.ForgetAllSCEVInLoopUnroll = true;  // cheaper where loops are nested and unrolled
  llvm::PassBuilder builder(&machine, options);
  Analyses analyses(builder);
  parsed<llvm::ModulePassManager>(builder, names).run(module, analyses.modules);
}

}  // namespace

// C compilers gather neighbouring stores into memset.
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
#if LLVM_VERSION_MAJOR == 14
      llvm::expandMemMoveAsLoop(move);
#else
      llvm::expandMemMoveAsLoop(move, llvm::TargetTransformInfo(module.getDataLayout()));
#endif
    } else {
      auto* copy = llvm::cast<llvm::MemCpyInst>(call);
      llvm::expandMemCpyAsLoop(copy, llvm::TargetTransformInfo(module.getDataLayout()));
    }
    call->eraseFromParent();
  }
}

void run_passes(llvm::Function& function, const char* names) {
  llvm::PassBuilder builder;
  Analyses analyses(builder);
  parsed<llvm::FunctionPassManager>(builder, names).run(function, analyses.functions);
}

void optimise_stages(llvm::Module& module, llvm::TargetMachine& machine) {
  run_passes(module, machine, kStagePasses);
}

void optimise_text(llvm::Module& module, llvm::TargetMachine& machine) {
  expand_memory_intrinsics(module);
#if LLVM_VERSION_MAJOR == 14
  // The passes below in the legacy pass manager, with which kernels and their records are made.
  llvm::legacy::PassManager passes;
  passes.add(llvm::createTargetTransformInfoWrapperPass(machine.getTargetIRAnalysis()));
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
#else
  run_passes(module, machine,
             "always-inline,function(sroa,early-cse<memssa>,instcombine,simplifycfg,"
             "loop-mssa(loop-rotate,licm),gvn,loop(indvars),dse,instcombine,simplifycfg),"
             "globaldce");
#endif
}

}  // namespace tinytune
