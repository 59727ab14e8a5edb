// The command that follows: printed at the end of another, with everything that decides which
// network it is.
#pragma once

#include <string>
#include <vector>

#include "cli/arguments.h"

namespace tinytune {

/// `program verb` for the model, device and log, with the limits, layout, passes and external
/// operators of `arguments`, then `more`; quoted for a shell.
std::string next_command(const std::string& program, const std::string& verb,
                         const Arguments& arguments, const std::string& device,
                         const std::optional<std::string>& records,
                         const std::vector<std::string>& more);

}  // namespace tinytune
