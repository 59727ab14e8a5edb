// C sources that accompany a single kernel: its prototype, and a source file of its constants.
#pragma once

#include <string>

#include "tinytune/kernel.h"

namespace tinytune {

/// Returns "void k(const int8_t *input, const int32_t *params, int8_t *output)".
std::string kernel_prototype(const TunedKernel& kernel);

/// Fills `header` and `source` of `kernel`, whose other members must be set; the source includes
/// the file name `header`. Both are C11; the header is also C++.
void print_kernel_sources(const std::string& device, const std::string& header,
                          TunedKernel& kernel);

/// Returns a .S file of one kernel from the compiler's assembly.
std::string kernel_assembly_file(const TunedKernel& kernel, const std::string& assembly,
                                 const std::string& device, bool riscv);

}  // namespace tinytune
