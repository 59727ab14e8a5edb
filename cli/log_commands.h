// Rows of the table of commands that are about logs as files.
#pragma once

#include "cli/command_table.h"

namespace tinytune {

Command log_files();
Command watch();

}  // namespace tinytune
