// A package's build id, which its parts check: sources of one package beside weights, kernels or a
// header of another do not compile or link, instead of computing other bytes.
//
// The linker's part costs no byte and takes any toolchain: the first kernel and the first array are
// renamed by a macro in the file that defines them and in the file that uses them, so a missing
// symbol names the build. Objects of an earlier build that were never compiled again are met too.
#pragma once

#include <string>
#include <vector>

#include "codegen/networks/network.h"

namespace tinytune {

/// Eight hexadecimal digits: a digest of the library's headers and sources.
std::string build_id(const GeneratedNetwork& network);

/// The library's files with its id. The user's own stay as they are.
std::vector<GeneratedFile> with_build_id(const GeneratedNetwork& network);

/// To append to a C file that includes `<name>.h`, or `<name>_internal.h` with `macro_part`
/// "INTERNAL_": refuses a header of another build.
std::string build_check(const std::string& name, const std::string& id,
                        const std::string& macro_part = "");

}  // namespace tinytune
