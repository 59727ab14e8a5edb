// LLVM's passes over a kernel's module, before its code generator.
//
// A kernel is one small function of loops whose bounds are constants, so what a compiler looks for
// in whole programs is left out, and a pass stays only if kernels change without it.
#pragma once

namespace llvm {
class Function;
class Module;
class TargetMachine;
}  // namespace llvm

namespace tinytune {

/// What Halide's statements became (stage_code.h): locals in memory, every address computed anew.
void optimise_stages(llvm::Module& module, llvm::TargetMachine& machine);

/// What a template or a C compiler wrote, which is in order but for inlining and cleaning up.
void optimise_text(llvm::Module& module, llvm::TargetMachine& machine);

/// Passes by the names that LLVM's pipelines have for them, for no target.
void run_passes(llvm::Function& function, const char* names);

/// Loops in place of memset, memcpy and memmove: there is no C library under a kernel.
void expand_memory_intrinsics(llvm::Module& module);

}  // namespace tinytune
