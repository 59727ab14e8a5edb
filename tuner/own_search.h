// Strategies of the caller's own as the tuner asks and tells its own ones.
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

/// kInvalidInput: without a name or a maker, or of a name that is taken.
Status check_own_search(const OwnSearch& search);

/// For logs: of the caller's own search, or the strategy's.
const std::string& name_of_tuner(const TuneOptions& options);

/// One per task. kInvalidInput: a task for which it makes none. `tasks` outlive them.
Result<std::vector<std::unique_ptr<Strategy>>> own_strategies(const OwnSearch& search,
                                                              const std::vector<TuningTask>& tasks,
                                                              const RunSettings& settings,
                                                              const MessageSink& on_message);

}  // namespace tinytune
