// Joins the assembly of kernels into one file that any GNU-compatible assembler takes.
//
// LLVM writes each kernel as a file of its own: labels repeat between them, and some directives
// apply to the whole file. Directives that may contradict the firmware's flags are dropped (the
// assembler then marks the object as its command line says), local labels get the kernel's number,
// and comments are removed, because a .S file passes through the C preprocessor.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "devices/device.h"

namespace tinytune {

/// Directives that enable vector instructions in LLVM's and in GNU's assembler; both empty for a
/// kernel without vectors.
struct VectorDirectives {
  std::string_view llvm, gnu;

  /// Returns both, each guarded by the preprocessor for its assembler.
  std::string text() const;
};

/// One kernel's assembly, split at the directive that chooses its function's section.
struct KernelAssembly {
  VectorDirectives vectors;
  std::string head;     ///< before that directive
  std::string section;  ///< the directive, a line; empty if there is none
  std::string rest;
  size_t lines = 0;  ///< instructions and directives of all these
  /// On Arm: it calls the compiler's helper functions, which a linker places with other code.
  bool calls_helpers = false;

  std::string text() const { return vectors.text() + head + section + rest; }
};

/// Cleans a kernel's assembly. `number` must differ between the kernels of a file.
KernelAssembly clean_assembly(const std::string& assembly, const std::string& symbol, int number,
                              CoreFamily family);

}  // namespace tinytune
