// Rows of the table of commands that do many runs: overnight, to compare, to check.
#pragma once

#include "cli/command_table.h"

namespace tinytune {

Command batch();
Command compare();
Command check();

}  // namespace tinytune
