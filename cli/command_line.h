// A command line, read by the table of commands.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "cli/arguments.h"
#include "cli/command_table.h"
#include "tinytune/result.h"

namespace tinytune {

struct CommandLine {
  const Command* command = nullptr;
  std::unique_ptr<Arguments> arguments;  ///< the command's own
  std::string text;  ///< help or version if requested; then the command must not run
};

/// Parses `words`, which begin with the program's name. kInvalidInput: one line with the word at
/// fault, the word probably meant, and where to find help.
Result<CommandLine> parse_command_line(std::span<const std::string> words);

}  // namespace tinytune
