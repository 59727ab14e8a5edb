// tune run --inputs: a network's answers to many inputs, and how many of them are as labelled.
#pragma once

#include "cli/command.h"
#include "cli/run_arguments.h"

namespace tinytune {

/// The program's exit code.
int run_input_set(const RunArguments& arguments, const Context& context);

}  // namespace tinytune
