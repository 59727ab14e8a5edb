// A kernel as portable C11: the second way out of the same optimised module.
//
// What templates write, as Halide stages or as an IR function, meets in one LLVM module. Printing
// that as C, instead of handing it to one of LLVM's code generators, gives every template to every
// core that has a C compiler. The C is a list of statements over fixed-width unsigned integers with
// gotos between blocks: compilers rebuild loops from that, people read the description above it.
//
// It asks of the compiler what C11 leaves open and all compilers agree on (two's complement, a
// right shift that keeps the sign), and of the core nothing: no builtins, no byte order, no int of
// 32 bits. Words are read through a few macros; TINYTUNE_MAC may be defined before them by who has
// a better multiply-accumulate than the compiler finds.
#pragma once

#include <string>
#include <vector>

#include "tinytune/result.h"

namespace llvm {
class Module;
}  // namespace llvm

namespace tinytune {

/// What is between the braces of the kernel's function. It calls its parameters by the names that
/// the template gave them; any pointer types will do.
/// Lowers the module to what C prints first (portable_lowering.h).
/// kUnsupported: C has no expression for an instruction or a call, which the message names.
Result<std::string> print_portable_c(llvm::Module& module, const std::string& symbol);

/// What stands once before all kernels of a file: headers, and the macros that bodies use.
std::string portable_c_prelude();

/// "void symbol(parameters…) {body}". `parameters` are C declarations of pointers, which become
/// restrict: "const int8_t *input".
std::string portable_c_function(const std::string& symbol,
                                const std::vector<std::string>& parameters,
                                const std::string& body);

}  // namespace tinytune
