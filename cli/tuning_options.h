// How to search, as `tune` and `tune op` are told on the command line alike.
#pragma once

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/progress.h"
#include "tinytune/tuning.h"

namespace tinytune {

/// All but what is tuned and the log. `arguments`, `context` and `line`, which shows progress,
/// outlive the options.
TuneOptions tuning_options(const Arguments& arguments, const Context& context, ProgressLine& line);

}  // namespace tinytune
