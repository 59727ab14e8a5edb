// Syntax of option values, as CLI11 validators.
#pragma once

#include "cli/command.h"

namespace CLI {
class Option;
}

namespace tinytune {

/// Makes `to` parse its text by the syntax of `option` and refuse other text with one line.
void set_syntax(const Option& option, CLI::Option& to);

}  // namespace tinytune
