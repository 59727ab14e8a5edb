#include "cli/shell_line.h"

#include <fmt/format.h>

#include <algorithm>

namespace tinytune {
namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

// Quotes as $'…' (bash, ksh, zsh), so that control characters in a name do not reach the terminal.
std::string escaped(std::string_view argument) {
  std::string quoted = "$'";
  for (const char c : argument) {
    if (is_control(c))
      quoted += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else
      quoted += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  }
  return quoted + "'";
}

}  // namespace

std::string shell_quoted(std::string_view argument) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  if (!argument.empty() && argument.find_first_not_of(kPlain) == std::string_view::npos)
    return std::string(argument);
  if (std::ranges::any_of(argument, is_control)) return escaped(argument);
  std::string quoted = "'";
  for (char c : argument) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string shell_line(std::span<const std::string> arguments) {
  std::string line;
  for (const std::string& argument : arguments)
    line += (line.empty() ? "" : " ") + shell_quoted(argument);
  return line;
}

}  // namespace tinytune
