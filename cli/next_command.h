// Suggestion of the next command, printed at the end of another, with all options that define the
// network.
#pragma once

#include <string>
#include <vector>

#include "cli/arguments.h"

namespace tinytune {

/// Returns `program verb` for the model, device and log, with the limits, layout, passes and
/// external operators of `arguments`, then `more`; quoted for a shell.
std::string next_command(const std::string& program, const std::string& verb,
                         const Arguments& arguments, const std::string& device,
                         const std::optional<std::string>& records,
                         const std::vector<std::string>& more);

}  // namespace tinytune
