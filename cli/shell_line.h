// Commands that the program prints, so that they can be typed as they are.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tinytune {

/// One argument as a POSIX shell reads it back; unchanged where nothing needs quoting.
std::string shell_quoted(std::string_view argument);
std::string shell_line(std::span<const std::string> arguments);

}  // namespace tinytune
