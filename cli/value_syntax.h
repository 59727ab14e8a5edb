// What the values of options look like, told to CLI11.
#pragma once

#include "cli/command.h"

namespace CLI {
class Option;
}

namespace tinytune {

/// Makes `to` read its text as `option` says, and refuse anything else in one line.
void set_syntax(const Option& option, CLI::Option& to);

}  // namespace tinytune
