// Joins the assembly of kernels into one file that any GNU-compatible assembler takes.
//
// LLVM writes each kernel as a file of its own: labels repeat between them, and directives speak of
// the whole file. What contradicts the firmware's own flags is dropped (the assembler then marks
// the object as its command line says), local labels get the kernel's number, comments go, because
// a .S file passes the C preprocessor.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "devices/device.h"

namespace tinytune {

/// Enables vector instructions in an assembler: directives for LLVM's and for GNU's, both empty for
/// a kernel without vectors.
struct VectorDirectives {
  std::string_view llvm, gnu;

  /// Each behind the preprocessor's question for it.
  std::string text() const;
};

/// One kernel's part, split where its function's section is chosen.
struct KernelAssembly {
  VectorDirectives vectors;
  std::string head;     ///< before that directive
  std::string section;  ///< the directive, a line; empty if there is none
  std::string rest;
  size_t lines = 0;  ///< instructions and directives of the others
  /// It calls what compilers call by themselves, which a linker puts beside other code: Arm.
  bool calls_helpers = false;

  std::string text() const { return vectors.text() + head + section + rest; }
};

/// `number` must differ between the parts of a file.
KernelAssembly clean_assembly(const std::string& assembly, const std::string& symbol, int number,
                              CoreFamily family);

}  // namespace tinytune
