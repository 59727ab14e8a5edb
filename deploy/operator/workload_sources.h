// The C that goes with a kernel by itself: its prototype, and its constants in an object of theirs.
#pragma once

#include <string>

#include "tinytune/kernel.h"

namespace tinytune {

/// "void k(const int8_t *input, const int32_t *params, int8_t *output)".
std::string kernel_prototype(const TunedKernel& kernel);

/// Fills `header` and `source`, which includes the name `header`: everything else in `kernel` is
/// there already. Both are C11 and the header C++ as well.
void print_kernel_sources(const std::string& device, const std::string& header,
                          TunedKernel& kernel);

/// A .S file of one kernel, from what the compiler printed.
std::string kernel_assembly_file(const TunedKernel& kernel, const std::string& assembly,
                                 const std::string& device, bool riscv);

}  // namespace tinytune
