// How to search, as `tune` and `tune op` are told on the command line alike.
#pragma once

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "tinytune/tuning.h"

namespace tinytune {

/// Adds to `options` what every command that measures takes: which program its workers are, how
/// many, how long they wait for a lost board, and the flag that ends the run, which `context`
/// keeps.
TuneOptions with_workers(TuneOptions options, const Arguments& arguments, const Context& context);

/// All but what is tuned and the log. `arguments`, `context` and `line`, which shows progress,
/// outlive the options.
TuneOptions tuning_options(const Arguments& arguments, const Context& context, ProgressLine& line);

}  // namespace tinytune
