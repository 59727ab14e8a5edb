// tune run --inputs: runs a network on many inputs and compares its answers with labels.
#pragma once

#include "cli/command.h"
#include "cli/run_arguments.h"

namespace tinytune {

/// Returns the program's exit code.
int run_input_set(const RunArguments& arguments, const Context& context);

}  // namespace tinytune
