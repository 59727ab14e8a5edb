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
  std::string text;  ///< help or version, where that was asked for; then nothing is to be done
};

/// `words` begin with the program's name. kInvalidInput: one line that names the word at fault,
/// what was probably meant, and where help is.
Result<CommandLine> parse_command_line(std::span<const std::string> words);

}  // namespace tinytune
