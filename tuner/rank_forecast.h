// Evaluates how well the ranking model orders schedules that it has not seen.
//
// The model of a run (search/shared_model.h) is trained on the earlier half of every task's
// records, as in the middle of a run, and then scores the later half. Scoring records that it was
// trained on would only test its memory, which is of no use to a search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "devices/device.h"
#include "models/tasks.h"
#include "records/records.h"
#include "tinytune/result.h"

namespace tinytune {

struct RankForecast {
  struct Point {
    double score = 0;     ///< by the model; larger is faster, comparable within a task
    uint64_t cycles = 0;  ///< measured
  };
  size_t heard = 0;           ///< records of this task that the model was trained on
  std::vector<Point> points;  ///< valid records of the later half, in order
  /// Spearman's rank correlation of predicted and measured speed: 1 is the same order, 0 none.
  /// Absent below four points, and if all values of either are equal.
  std::optional<double> correlation;
};

/// Returns one entry per task. kUnsupported: no template takes one of the tasks on this device.
Result<std::vector<RankForecast>> forecast_ranks(const std::vector<Task>& tasks,
                                                 const Device& device, const Records& records);

/// Returns Spearman's rank correlation; equal values share their mean rank. Absent as above. `a`
/// and `b` must have the same length.
std::optional<double> rank_correlation(std::span<const double> a, std::span<const double> b);

}  // namespace tinytune
