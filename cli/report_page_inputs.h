// page_data() for a command line: reads the log, and runs the network if requested.
#pragma once

#include <string>
#include <vector>

#include "cli/report_arguments.h"
#include "models/tasks.h"
#include "tinytune/model.h"
#include "tinytune/result.h"
#include "tinytune/tuning.h"

namespace tinytune {

/// Returns the tasks for the page; if layers run in strips, those of the strips, whose planning
/// takes seconds. Errors as load_ground() and deployed_tasks().
Result<std::vector<Task>> page_tasks(const Model& model, const ReportArguments& arguments);

/// Returns data of the log alone. Errors as load_ground() and page_data().
Result<std::string> page_data_of_log(const Model& model, const std::vector<Task>& tasks,
                                     const ReportArguments& arguments, bool live);

/// The same with data of the network, which is run several times in the simulator (some seconds).
/// Also errors as run_model() and read_library_counts().
Result<std::string> page_data_of_network(const Model& model, const std::vector<Task>& tasks,
                                         const ReportArguments& arguments, const MessageSink& sink);

}  // namespace tinytune
