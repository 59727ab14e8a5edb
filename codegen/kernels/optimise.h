// LLVM's passes over a kernel's module, before its code generator.
//
// A kernel is one small function of loops with constant bounds, so passes for whole programs are
// left out, and a pass stays only if kernels change without it.
#pragma once

namespace llvm {
class Function;
class Module;
class TargetMachine;
}  // namespace llvm

namespace tinytune {

/// Optimises code of Halide's statements (stage_code.h): locals in memory, addresses recomputed.
void optimise_stages(llvm::Module& module, llvm::TargetMachine& machine);

/// Optimises code of a template or a C compiler, which needs only inlining and cleaning up.
void optimise_text(llvm::Module& module, llvm::TargetMachine& machine);

/// Runs passes by their names in LLVM's pipelines, without a target.
void run_passes(llvm::Function& function, const char* names);

/// Replaces memset, memcpy and memmove by loops: kernels have no C library.
void expand_memory_intrinsics(llvm::Module& module);

}  // namespace tinytune
