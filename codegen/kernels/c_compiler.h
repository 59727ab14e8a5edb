// The C compiler for a device's core: clang for cores that LLVM knows, else the program that the
// device file names.
//
// Compiles generated libraries as their users would, and kernels that are printed as C. A device
// file from elsewhere cannot choose a program: devices/read_target.cc limits what it may name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "devices/device.h"
#include "tinytune/result.h"

namespace tinytune {

/// Treatment of warnings: errors in generated code, suppressed in the users' own code.
enum class Warnings { kAreErrors, kAreTheirs };

/// Compiles one source file, .c or .S, with headers in `include_directory`.
/// kNotFound: no such compiler on the PATH. kFailed: the compiler's own message.
Result<std::vector<uint8_t>> compile_source(const std::string& source, const std::string& object,
                                            const std::string& include_directory,
                                            const Device& device,
                                            Warnings warnings = Warnings::kAreErrors);

/// Compiles C text to an object.
Result<std::vector<uint8_t>> compile_text(std::string_view text, const Device& device);

/// Returns the path of libgcc of the core's GCC: software floats, and whatever else the users' C
/// code may need. Empty if no such GCC is on the PATH, or it has none.
Result<std::string> compiler_library(const Target& target);

/// Compiles C text to LLVM bitcode for the device's core. kNotFound: no clang on the PATH.
/// kUnsupported: a core with a compiler of its own. kFailed: as above.
Result<std::vector<uint8_t>> compile_to_bitcode(std::string_view text, const Device& device);

/// Links with the compiler's driver, by `script` to `output`: `objects`, then what they need of the
/// compiler's own library and of the archive `helpers`.
/// kNotFound as above. kInvalidInput: a region overflows. kUnsupported: it does not link.
Status link_by_compiler(const std::vector<std::string>& objects, const std::string& helpers,
                        const std::string& script, const std::string& entry,
                        const std::string& output, const Device& device);

}  // namespace tinytune
