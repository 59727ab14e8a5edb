// Rows of the table of commands that are about boards and fleets.
#pragma once

#include "cli/command_table.h"

namespace tinytune {

Command devices();
Command doctor();
Command firmware();
Command fleet();
Command keys_command();
Command import_times();
Command calibration();
Command worker();

}  // namespace tinytune
