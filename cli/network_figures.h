// Runs the network in the simulator for a report: by default, tuned, and in a few other trade-offs
// between memory and cycles.
#pragma once

#include <string>
#include <vector>

#include "cli/arguments.h"
#include "tinytune/deploy.h"
#include "tinytune/model.h"
#include "tinytune/result.h"

namespace tinytune {

/// One way to build the tuned network, run and counted.
struct Configuration {
  std::string name;  ///< "default", "tuned", or the option: "--fast-ram 0"
  Footprint footprint;
};

struct NetworkFigures {
  RunReport by_default, tuned;  ///< verified
  std::vector<Configuration> configurations;
};

/// Runs default and tuned, the latter within the limits of the command line. Errors as run_model().
Result<NetworkFigures> compare_variants(const Model& model, const Arguments& arguments,
                                        const MessageSink& sink);

/// The same with alternatives: nothing or everything in fast memory, and the least flash. Omits
/// alternatives that cannot be built within their limits.
Result<NetworkFigures> survey_variants(const Model& model, const Arguments& arguments,
                                       const MessageSink& sink);

}  // namespace tinytune
