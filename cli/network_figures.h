// The network in the simulator, as often as a report has to run it: by default, tuned, and, for a
// picture of what can be had, in a few other trades of memory for cycles.
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
  std::string name;  ///< what was asked: "default", "tuned", "--fast-ram 0"
  Footprint footprint;
};

struct NetworkFigures {
  RunReport by_default, tuned;  ///< verified
  std::vector<Configuration> configurations;
};

/// Default and tuned, the latter within the limits of the command line. Errors as run_model().
Result<NetworkFigures> compare_variants(const Model& model, const Arguments& arguments,
                                        const MessageSink& sink);

/// The same, and what else can be had: nothing or everything in fast memory, and the least flash.
/// What cannot be built within its limits is left out, because limits are what it tries.
Result<NetworkFigures> survey_variants(const Model& model, const Arguments& arguments,
                                       const MessageSink& sink);

}  // namespace tinytune
