// Options of tune_model() from the command lines of `tune` and `tune op`.
#pragma once

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "tinytune/tuning.h"

namespace tinytune {

/// Adds the options of every command that measures: the workers' program and number, the time to
/// wait for a lost board, and the flag in `context` that cancels the run.
TuneOptions with_workers(TuneOptions options, const Arguments& arguments, const Context& context);

/// Sets all but the tasks, layout and log. `arguments`, `context` and `line`, which shows progress,
/// must outlive the options.
TuneOptions tuning_options(const Arguments& arguments, const Context& context, ProgressLine& line);

}  // namespace tinytune
