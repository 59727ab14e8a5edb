// Halide's stages as one LLVM function of plain pointers.
//
// Halide's own way to an LLVM module links its runtime, wraps each stage in a function of buffer
// structs and runs -O3 for a target that is not ours, which would take most of a build before our
// passes run. Only its translation of statements is used here: the stages' bodies follow each other
// in one function, for our machine, and are optimised once (optimise.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tinytune/result.h"

namespace Halide {
class Module;
}  // namespace Halide

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
}  // namespace llvm

namespace tinytune {

/// Returns a module with `void symbol(pointer…)`: one parameter for each of `parameters`, the names
/// of the stages' buffers. Throws what Halide throws. kFailed: a stage reads a bound or a stride of
/// a buffer, which callers do not pass: templates must fix all of them.
Result<std::unique_ptr<llvm::Module>> code_of_stages(const Halide::Module& stages,
                                                     const std::string& symbol,
                                                     const std::vector<std::string>& parameters,
                                                     llvm::TargetMachine& machine,
                                                     llvm::LLVMContext& context);

}  // namespace tinytune
