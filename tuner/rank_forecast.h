// How well the ranking model would have ordered what it had not seen.
//
// The model of a run (search/shared_model.h) is asked about the later half of a log after it has
// heard the earlier half of every task, as it would have stood in the middle of a run. To ask it
// about records that it was trained on would show how well it remembers, which is no use to a
// search.
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
    double score = 0;     ///< the model's; larger is faster, comparable within a task
    uint64_t cycles = 0;  ///< measured
  };
  size_t heard = 0;           ///< records of this task that the model was trained on
  std::vector<Point> points;  ///< valid records of the later half, in order
  /// Spearman's, of predicted speed and measured speed: 1 is the same order, 0 none. Absent below
  /// four points, and where all of either are equal.
  std::optional<double> correlation;
};

/// One entry a task. kUnsupported: no template takes one of the tasks on this device.
Result<std::vector<RankForecast>> forecast_ranks(const std::vector<Task>& tasks,
                                                 const Device& device, const Records& records);

/// Spearman's rank correlation, equal values sharing the mean of their places. Absent as above.
/// `a` and `b` are equally long.
std::optional<double> rank_correlation(std::span<const double> a, std::span<const double> b);

}  // namespace tinytune
