// A package's build id, which its parts check: sources of one package with weights, kernels or a
// header of another do not compile or link, instead of computing wrong bytes.
//
// The check at link time costs no byte and works with any toolchain: a macro renames the first
// kernel and the first array, where they are defined and where they are used, so a missing symbol
// names the build. This also finds stale objects of an earlier build.
#pragma once

#include <string>
#include <vector>

#include "codegen/networks/network.h"

namespace tinytune {

/// Eight hexadecimal digits: a digest of the library's headers and sources.
std::string build_id(const GeneratedNetwork& network);

/// The library's files with its id. The user's own stay as they are.
std::vector<GeneratedFile> with_build_id(const GeneratedNetwork& network);

/// Returns text to append to a C file that includes `<name>.h`, or `<name>_internal.h` with
/// `macro_part` "INTERNAL_": it refuses a header of another build.
std::string build_check(const std::string& name, const std::string& id,
                        const std::string& macro_part = "");

}  // namespace tinytune
