// page_data() from what a command line names: reads the log, and runs the network where asked.
#pragma once

#include <string>

#include "cli/arguments.h"
#include "tinytune/model.h"
#include "tinytune/result.h"
#include "tinytune/tuning.h"

namespace tinytune {

/// What the log alone tells. Errors as load_ground() and page_data().
Result<std::string> page_data_of_log(const Model& model, const Arguments& arguments, bool live);

/// The network as well, run in the simulator several times: some seconds. Errors as run_model()
/// and read_library_counts() too.
Result<std::string> page_data_of_network(const Model& model, const Arguments& arguments,
                                         const MessageSink& sink);

}  // namespace tinytune
