// page_data() from what a command line names: reads the log, and runs the network where asked.
#pragma once

#include <string>
#include <vector>

#include "cli/report_arguments.h"
#include "models/tasks.h"
#include "tinytune/model.h"
#include "tinytune/result.h"
#include "tinytune/tuning.h"

namespace tinytune {

/// Tasks that the page lists: of strips where layers run in strips, whose planning takes seconds.
/// Errors: those of load_ground() and deployed_tasks().
Result<std::vector<Task>> page_tasks(const Model& model, const ReportArguments& arguments);

/// What the log alone tells. Errors as load_ground() and page_data().
Result<std::string> page_data_of_log(const Model& model, const std::vector<Task>& tasks,
                                     const ReportArguments& arguments, bool live);

/// The network as well, run in the simulator several times: some seconds. Errors as run_model()
/// and read_library_counts() too.
Result<std::string> page_data_of_network(const Model& model, const std::vector<Task>& tasks,
                                         const ReportArguments& arguments, const MessageSink& sink);

}  // namespace tinytune
