// LLVM's code generator as a function that returns its errors.
#pragma once

#include <cstdint>
#include <vector>

#include "codegen/kernels/kernel.h"
#include "tinytune/result.h"

namespace llvm {
class Module;
class TargetMachine;
}  // namespace llvm

namespace tinytune {

/// An object file, or assembly text for Emit::kAssembly. kFailed: what LLVM says; by default it
/// prints its errors and ends the process.
Result<std::vector<uint8_t>> machine_code(llvm::Module& module, llvm::TargetMachine& machine,
                                          Emit kind);

}  // namespace tinytune
