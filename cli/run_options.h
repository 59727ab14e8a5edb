// How a network is made and run, as `run` and `explain` are told on the command line alike.
#pragma once

#include "cli/arguments.h"
#include "cli/console.h"
#include "tinytune/deploy.h"
#include "tinytune/result.h"

namespace tinytune {

/// All but inputs and what is compared or dumped. kInvalidInput: no such layout.
Result<RunOptions> run_options(const Arguments& arguments, const Console& console);

}  // namespace tinytune
