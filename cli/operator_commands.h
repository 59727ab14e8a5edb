// Rows of the table of commands that are about operators and not networks.
#pragma once

#include "cli/command_table.h"

namespace tinytune {

Command op();
Command ops();

}  // namespace tinytune
