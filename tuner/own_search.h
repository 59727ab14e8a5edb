// Adapts search strategies of the caller to the tuner's Strategy interface.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "search/strategy.h"
#include "tinytune/search.h"
#include "tinytune/tuning.h"
#include "tuner/run_identity.h"
#include "tuner/tuning_task.h"

namespace tinytune {

/// Checks a caller's search. kInvalidInput: it lacks a name or `make`, or its name is that of a
/// built-in strategy.
Status check_own_search(const OwnSearch& search);

/// Returns the name for logs: of the caller's search if there is one, else of the strategy.
const std::string& name_of_tuner(const TuneOptions& options);

/// Makes one strategy per task; `tasks` must outlive them. kInvalidInput: the search makes none for
/// some task.
Result<std::vector<std::unique_ptr<Strategy>>> own_strategies(const OwnSearch& search,
                                                              const std::vector<TuningTask>& tasks,
                                                              const RunSettings& settings,
                                                              const MessageSink& on_message);

}  // namespace tinytune
