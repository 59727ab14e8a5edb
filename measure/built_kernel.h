// A built kernel: everything that a board needs to run it, and the facts known before it runs.
//
// Building needs a compiler, running needs a board. They may be on different machines, so a built
// kernel can be serialised.
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

/// Exported symbol of a measured kernel.
inline constexpr const char* kKernelSymbol = "kernel";

struct BuiltKernel {
  std::vector<uint8_t> elf;  ///< executable, at the device's addresses
  std::string symbol = kKernelSymbol;
  std::vector<PackedConstant> constants;  ///< in order of the arguments after the input
  int64_t scratch_bytes = 0;
  CodeFacts code;

  /// Returns the digest of everything that a board sees: equal digests mean equal kernels.
  Digest image() const;
};

/// Serialises a kernel for another process or a file of this same program; see byte_stream.h.
std::vector<uint8_t> to_bytes(const BuiltKernel& kernel);
/// Parses to_bytes(). kInvalidInput: truncated or malformed.
Result<BuiltKernel> built_kernel_from(std::span<const uint8_t> bytes);

}  // namespace tinytune
