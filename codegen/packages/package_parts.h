// What the printers of this room share. Each adds to a list of files or makes the text of one.
#pragma once

#include <string>
#include <vector>

#include "codegen/packages/package.h"

namespace tinytune {

struct PackageParts {
  const GeneratedNetwork& network;
  const Device& device;
};

using Files = std::vector<GeneratedFile>;

/// README.md of a package with these files.
std::string print_readme(const PackageParts& parts, const Files& files);
/// `test/<name>_smoke.c`.
std::string print_smoke_test(const GeneratedNetwork& network, const SmokeTest& smoke);

/// package_mlf.cc: the tree of the format, and its archive.
Files arrange_mlf(const PackageParts& parts, Files files);
std::string make_tar(const Files& files);

}  // namespace tinytune
