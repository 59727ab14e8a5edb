// Programs that an installation brings along: the compiler of a relocatable archive, and `tune`
// itself.
//
// An archive must run on a machine that has nothing installed, from any directory. What it carries
// is therefore found beside the file that this code was loaded from (the program, or the shared
// library), before the PATH is searched.
#pragma once

#include <string>

namespace tinytune {

/// The path of `name` in an installation with that prefix: in `bin/` or `libexec/tinytune/bin/`.
/// Empty if neither has such an executable file, or if `name` is a path.
std::string program_under(const std::string& prefix, const std::string& name);

/// The same of this installation: its prefix is the directory above the one that holds the running
/// program or the shared library.
std::string installed_program(const std::string& name);

}  // namespace tinytune
