// Every command of the program, in the order in which help lists them.
#pragma once

#include <span>

#include "cli/command.h"

namespace tinytune {

/// The first is the one without a name.
std::span<const Command> command_table();

}  // namespace tinytune
