// A library's kernels and constants as data, which LLVM compiles to objects in this process.
//
// The library's files hold the same for its users' compilers. Compiler processes for these files
// would take most of the time to build a trial of a network.
#pragma once

#include <cstdint>
#include <vector>

#include "codegen/networks/kernel_set.h"
#include "codegen/networks/network.h"
#include "codegen/operators/constant_pool.h"
#include "devices/device.h"
#include "tinytune/result.h"

namespace tinytune {

struct LibraryParts {
  std::vector<KernelSet::Kernel> kernels;
  std::vector<ConstantPool::Array> arrays;
};

/// Whether LLVM makes this library's objects: it knows the core, and kernels are assembly.
bool has_linked_parts(const GeneratedNetwork& network, const Device& device);

/// The object of the file with the kernels, each in the section of its home.
/// kFailed: the first of the assembler's errors.
Result<std::vector<uint8_t>> kernels_object(const GeneratedNetwork& network, const Device& device);

/// The object of the file with the constants.
Result<std::vector<uint8_t>> constants_object(const GeneratedNetwork& network,
                                              const Device& device);

}  // namespace tinytune
