// Quotes the commands that the program prints, so that they can be pasted into a shell.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tinytune {

/// Quotes one argument for a POSIX shell; unchanged if it needs no quotes.
std::string shell_quoted(std::string_view argument);
std::string shell_line(std::span<const std::string> arguments);

}  // namespace tinytune
