// Joins the assembly of kernels into one file that any GNU-compatible assembler takes.
//
// LLVM writes each kernel as a file of its own: labels repeat between them, and directives speak of
// the whole file. What contradicts the firmware's own flags is dropped (the assembler then marks
// the object as its command line says), local labels get the kernel's number, comments go, because
// a .S file passes the C preprocessor.
#pragma once

#include <string>

#include "devices/device.h"

namespace tinytune {

/// One kernel's part. `number` must differ between the parts of a file.
std::string clean_assembly(const std::string& assembly, const std::string& symbol, int number,
                           CoreFamily family);

}  // namespace tinytune
