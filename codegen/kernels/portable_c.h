// A kernel as portable C11: the second back end of the same optimised module.
//
// Templates produce an LLVM module, from Halide stages or from an IR function. Printing it as C,
// instead of running one of LLVM's code generators, makes every template available on every core
// that has a C compiler. The C is a list of statements over fixed-width unsigned integers with
// gotos between blocks: compilers rebuild loops from that, people read the description above it.
//
// It requires of the compiler what C11 leaves open and all compilers agree on (two's complement, a
// right shift that keeps the sign), and of the core nothing: no builtins, no byte order, no int of
// 32 bits. Words are read through a few macros; users who have a better multiply-accumulate than
// the compiler finds may define TINYTUNE_MAC before them.
#pragma once

#include <string>
#include <vector>

#include "tinytune/result.h"

namespace llvm {
class Module;
}  // namespace llvm

namespace tinytune {

/// Prints the body of the kernel's function, after lowering the module (portable_lowering.h).
/// Parameters have the names that the template gave them; any pointer types will do.
/// kUnsupported: C has no expression for an instruction or a call, which the message names.
Result<std::string> print_portable_c(llvm::Module& module, const std::string& symbol);

/// Returns the text before all kernels of a file: headers, and the macros that bodies use.
std::string portable_c_prelude();

/// "void symbol(parameters…) {body}". `parameters` are C declarations of pointers, which become
/// restrict: "const int8_t *input".
std::string portable_c_function(const std::string& symbol,
                                const std::vector<std::string>& parameters,
                                const std::string& body);

}  // namespace tinytune
