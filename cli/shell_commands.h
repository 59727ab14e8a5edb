// Rows of the table of commands for shells and manuals.
#pragma once

#include "cli/command_table.h"

namespace tinytune {

Command completion();
Command manual();

}  // namespace tinytune
