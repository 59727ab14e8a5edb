// What a network takes as a whole once its layers are tuned: the figures with which a run ends.
//
// The sum of the layers' best kernels is not it. Operators without a task, transforms between
// layouts, weights that wait in flash and kernels that share memory all count, so the network is
// compiled and run, as `tune run` does.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/arguments.h"
#include "tinytune/model.h"
#include "tinytune/result.h"

namespace tinytune {

struct NetworkCycles {
  uint64_t by_default = 0;  ///< under the same options, without records
  uint64_t tuned = 0;       ///< with those of the log
};

/// Both at a time where that is the simulator; nothing for a device that has none. kFailed: as
/// run_model() says.
Result<std::optional<NetworkCycles>> network_cycles(const Model& model, const Arguments& arguments,
                                                    const std::string& log);

}  // namespace tinytune
