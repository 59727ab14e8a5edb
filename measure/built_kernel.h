// A kernel that is built and can be run: all that a board is given, and what is known of it before.
//
// Building takes a compiler and a processor, running takes a board. They meet here, and a built
// kernel may travel between them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/digest.h"
#include "records/measurement.h"
#include "templates/kernel_template.h"
#include "tinytune/result.h"

namespace tinytune {

/// The name a measured kernel is exported under.
inline constexpr const char* kKernelSymbol = "kernel";

struct BuiltKernel {
  std::vector<uint8_t> elf;  ///< executable, at the device's addresses
  std::string symbol = kKernelSymbol;
  std::vector<PackedConstant> constants;  ///< its arguments after the input, in order
  int64_t scratch_bytes = 0;
  CodeFacts code;

  /// Of everything a board sees: kernels with equal digests are the same kernel.
  Digest image() const;
};

/// For a process or a file of this program; see byte_stream.h.
std::vector<uint8_t> to_bytes(const BuiltKernel& kernel);
/// kInvalidInput: no whole kernel.
Result<BuiltKernel> built_kernel_from(std::span<const uint8_t> bytes);

}  // namespace tinytune
