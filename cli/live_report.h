// tune report --live: the report's page while a run goes on, asked for again by the page itself.
#pragma once

#include "cli/command.h"
#include "cli/report_arguments.h"
#include "tinytune/model.h"

namespace tinytune {

/// Serves until interrupted. While a run writes the log, what the log alone tells; once none does,
/// the network as well. Returns the program's exit code.
int serve_live_report(const Model& model, const ReportArguments& arguments, const Context& context);

}  // namespace tinytune
