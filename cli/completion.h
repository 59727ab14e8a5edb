// What shells and `man` know of the program, printed from the one table of commands.
#pragma once

#include <span>
#include <string>

#include "cli/command.h"

namespace tinytune {

/// A script for bash's `complete`: commands, options, their choices, devices, and files elsewhere.
std::string bash_completion(std::span<const Command> commands,
                            std::span<const std::string> devices);

/// The same for zsh (through bash's), and for fish.
std::string zsh_completion(std::span<const Command> commands, std::span<const std::string> devices);
std::string fish_completion(std::span<const Command> commands,
                            std::span<const std::string> devices);

/// tune(1), in man's own macros: every command with its options and examples.
std::string manual_page(std::span<const Command> commands, const std::string& version);

}  // namespace tinytune
