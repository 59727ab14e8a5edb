// Rewrites a kernel's module into the instructions that portable C prints.
//
// LLVM's passes emit what its code generators expand: intrinsics, vectors, switches, integers of
// 33 bits. Each is expanded here in LLVM's own IR, where an expansion is written once for all
// widths and vectors, so that the printer knows arithmetic, comparisons and memory alone. A kernel
// that has none of it is not touched. The printer refuses the rest by name: floating point, one
// core's instructions, calls.
#pragma once

namespace llvm {
class Function;
class Instruction;
class Module;
}  // namespace llvm

namespace tinytune {

namespace portable_c {

/// Applies all of the below, splits vectors into elements and turns switches into branches. Throws
/// Unsupported (portable_c_expressions.h).
void lower(llvm::Module& module);

/// Expands calls of intrinsics on scalars and vectors, and drops those that only inform the
/// optimiser. Returns whether a value is computed anew.
bool expand_intrinsics(llvm::Function& function);

/// Whether the printer has an expression for this call of an intrinsic.
bool is_printed(const llvm::Instruction& call);

/// Widens integers of other widths below 64 bits to the next of 8, 16, 32 and 64, zero-extended.
/// Returns whether the function changed. Throws Unsupported.
bool widen_odd_integers(llvm::Function& function);

}  // namespace portable_c
}  // namespace tinytune
