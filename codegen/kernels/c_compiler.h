// The compiler of C that a device's core has: clang for cores that LLVM knows, else the program
// that the device file names.
//
// Generated libraries are built here as their users would build them, and so are kernels that are
// printed as C. Files that somebody else sent never choose a program: devices/read_target.cc says
// what a device file may name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "devices/device.h"
#include "tinytune/result.h"

namespace tinytune {

/// Whose faults warnings are: generated code has to have none, that of users is theirs.
enum class Warnings { kAreErrors, kAreTheirs };

/// An object of one source file, which ends in .c or .S; it finds headers in `include_directory`.
/// kNotFound: no such compiler on the PATH. kFailed: it refuses, with its own message.
Result<std::vector<uint8_t>> compile_source(const std::string& source, const std::string& object,
                                            const std::string& include_directory,
                                            const Device& device,
                                            Warnings warnings = Warnings::kAreErrors);

/// The same of a text.
Result<std::vector<uint8_t>> compile_text(std::string_view text, const Device& device);

/// The path of the library that the core's GCC brings along: floats in software, and whatever else
/// C that is not ours may need. Empty where there is no such GCC on the PATH, or it has none.
Result<std::string> compiler_library(const Target& target);

/// LLVM bitcode of a text, for the device's core. kNotFound: no clang of our LLVM on the PATH.
/// kUnsupported: a core that only a compiler of its own knows. kFailed: as above.
Result<std::vector<uint8_t>> compile_to_bitcode(std::string_view text, const Device& device);

/// Links as the compiler's driver does, by `script` to `output`: `objects`, then what they need of
/// the compiler's own library and of `helpers`, an archive.
/// kNotFound as above. kInvalidInput: a region overflows. kUnsupported: it does not link.
Status link_by_compiler(const std::vector<std::string>& objects, const std::string& helpers,
                        const std::string& script, const std::string& entry,
                        const std::string& output, const Device& device);

}  // namespace tinytune
