// Rows of the table of commands that are about boards.
#pragma once

#include "cli/command_table.h"

namespace tinytune {

Command devices();
Command doctor();
Command firmware();
Command worker();

}  // namespace tinytune
