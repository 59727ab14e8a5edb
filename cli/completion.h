// Completion scripts and the manual page, generated from the table of commands.
#pragma once

#include <span>
#include <string>

#include "cli/command.h"

namespace tinytune {

/// Returns a script for bash's `complete`: commands, options, choices and devices; else files.
std::string bash_completion(std::span<const Command> commands,
                            std::span<const std::string> devices);

/// The same for zsh (through bash's), and for fish.
std::string zsh_completion(std::span<const Command> commands, std::span<const std::string> devices);
std::string fish_completion(std::span<const Command> commands,
                            std::span<const std::string> devices);

/// Returns tune(1) in man macros: every command with its options and examples.
std::string manual_page(std::span<const Command> commands, const std::string& version);

}  // namespace tinytune
