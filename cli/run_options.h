// Options of run_model() from the command lines of `run` and `explain`.
#pragma once

#include "cli/arguments.h"
#include "cli/console.h"
#include "tinytune/deploy.h"
#include "tinytune/result.h"

namespace tinytune {

/// Sets all but inputs, comparisons and dumps. kInvalidInput: unknown layout.
Result<RunOptions> run_options(const Arguments& arguments, const Console& console);

}  // namespace tinytune
