// Finds programs that are part of the installation: the compiler of a relocatable archive, and
// `tune` itself.
//
// An archive must run from any directory, on a machine with nothing installed. Its programs are
// therefore found relative to the file that contains this code (the program, or the shared
// library), before the PATH is searched.
#pragma once

#include <string>

namespace tinytune {

/// Returns the path of `name` in an installation with this prefix: in `bin/` or
/// `libexec/tinytune/bin/`. Empty if neither has such an executable file, or if `name` is a path.
std::string program_under(const std::string& prefix, const std::string& name);

/// The same for this installation: its prefix is the parent of the directory of the running program
/// or the shared library.
std::string installed_program(const std::string& name);

}  // namespace tinytune
