// Cycles of a whole network after tuning: the figures at the end of a run.
//
// They differ from the sum of the layers' best kernels: operators without a task, transforms
// between layouts, waits for weights in flash and kernels that share memory also count. So the
// network is compiled and run, as by `tune run`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/arguments.h"
#include "tinytune/model.h"
#include "tinytune/result.h"

namespace tinytune {

struct NetworkCycles {
  uint64_t by_default = 0;  ///< with the same options, without records
  uint64_t tuned = 0;       ///< with the log's records
};

/// Runs both networks, in parallel on a simulator; nullopt for a device without one. kFailed: the
/// message is run_model()'s.
Result<std::optional<NetworkCycles>> network_cycles(const Model& model, const Arguments& arguments,
                                                    const std::string& log);

}  // namespace tinytune
