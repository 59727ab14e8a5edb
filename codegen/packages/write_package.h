// Writes the directory of a package, and takes out what an earlier one left there.
//
// Recompiled for another model or device, a directory must not keep sources that build systems then
// compile along. `.tinytune-files` lists what was written with a hash of each; the next package
// removes the listed files it does not have itself, as long as they are what was written. What
// somebody changed since, and what was never ours, stays, and a package that needs such a file's
// place is refused. Files are written beside their places and moved there together.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "codegen/networks/network.h"
#include "tinytune/result.h"

namespace tinytune {

inline constexpr const char* kPackageManifest = ".tinytune-files";

struct WrittenPackage {
  std::vector<std::string> removed;  ///< of an earlier package, relative to the directory
  std::vector<std::string> kept;     ///< of an earlier package, but changed since
};

/// Makes the directory where there is none. kInvalidInput: the place is a file, or a file that this
/// would overwrite is not ours or was changed; nothing is touched then. kFailed names the path and
/// the reason, a full disk leaves the earlier package as it was; interrupted at any point, the next
/// call still knows what was ours.
Result<WrittenPackage> write_package(const std::string& directory,
                                     std::span<const GeneratedFile> files);

}  // namespace tinytune
