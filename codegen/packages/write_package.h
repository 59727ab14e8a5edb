// Writes the directory of a package, and removes files that an earlier package left there.
//
// After a compile for another model or device, a directory must not keep stale sources, which build
// systems would compile too. `.tinytune-files` lists the written files with a hash of each; the
// next package removes the listed files that it does not have, unless they were changed since.
// Changed files, and files that were never ours, stay, and a package that needs the place of one is
// refused. Files are written beside their places and moved there together.
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

/// Creates the directory if there is none. kInvalidInput: the place is a file, or a file that this
/// would overwrite is not ours or was changed; nothing is touched then. kFailed names the path and
/// the reason. A full disk leaves the earlier package as it was; after an interruption at any
/// point, the next call still knows which files were ours.
Result<WrittenPackage> write_package(const std::string& directory,
                                     std::span<const GeneratedFile> files);

}  // namespace tinytune
