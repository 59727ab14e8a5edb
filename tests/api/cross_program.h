// Compiles C for a device with Debian's cross compilers and calls one function in the simulator.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tinytune/result.h"

namespace tinytune::test {

/// Compiles and links `sources` (C, assembly, LLVM IR, objects) in `folder` without a C library,
/// and calls `int function(void)` under `tune simulate`. The status is what it returns.
Result<int64_t> call_on(const std::string& device, const std::string& folder,
                        const std::vector<std::string>& sources, const std::string& function);

}  // namespace tinytune::test
