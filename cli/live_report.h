// tune report --live: serves the report's page during a run; the page polls for new data.
#pragma once

#include "cli/command.h"
#include "cli/report_arguments.h"
#include "tinytune/model.h"

namespace tinytune {

/// Serves until interrupted: data of the log alone while a run writes it, and of the network too
/// once no run does. Returns the program's exit code.
int serve_live_report(const Model& model, const ReportArguments& arguments, const Context& context);

}  // namespace tinytune
