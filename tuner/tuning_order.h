// tune_model() with an order of schedules that somebody else chose.
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

/// `tasks` outlives the trajectory; `records` are those of the log that count for this device.
using OrderSource = std::function<Result<Order>(const std::vector<TuningTask>& tasks, const Device&,
                                                const RunSettings&, const Records& records)>;

/// As tune_model(), but for trials and tuner of the options; of `settings` the tuner and what is
/// `promising` are the caller's.
Result<TuneReport> tune_in_order(const Model& model, const std::string& device,
                                 const TuneOptions& options, RunSettings settings,
                                 const OrderSource& order);

}  // namespace tinytune
