// tune_model() with an order of schedules that the caller chooses.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "devices/device.h"
#include "records/records.h"
#include "tinytune/tuning.h"
#include "tuner/run_identity.h"
#include "tuner/trajectory.h"
#include "tuner/tuning_task.h"

namespace tinytune {

struct Order {
  Trajectory trajectory;
  uint64_t trials = 0;  ///< SessionLimits::trials
};

/// Makes the order. `tasks` outlives the trajectory; `records`: the log's records that apply to
/// this device.
using OrderSource = std::function<Result<Order>(const std::vector<TuningTask>& tasks, const Device&,
                                                const RunSettings&, const Records& records)>;

/// Tunes as tune_model() does, but ignores trials and tuner of the options. The caller sets only
/// `tuner` and `promising` of `settings`.
Result<TuneReport> tune_in_order(const Model& model, const std::string& device,
                                 const TuneOptions& options, RunSettings settings,
                                 const OrderSource& order);

}  // namespace tinytune
