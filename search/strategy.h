// A search strategy, ask/tell: a pure function of space, seed and what it was told.
//
// Points are indices into the task's ConfigSpace. A strategy never sees a device, a worker or a
// clock, so every one is testable without a board, and the same seed gives the same run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "records/measurement.h"
#include "schedules/config_space.h"
#include "schedules/loop_nest.h"
#include "tinytune/result.h"

namespace tinytune {

struct Observation {
  size_t point = 0;
  Outcome outcome = Outcome::kLost;
  double cycles = 0;  ///< meaningful only for kOk
};

/// What a strategy may know of its task. `describe` must be thread-safe and deterministic.
struct SearchProblem {
  const ConfigSpace* space = nullptr;  ///< outlives the strategy
  std::function<LoopNest(size_t point)> describe;
  size_t default_point = 0;  ///< proposed first
  uint64_t seed = 1;
};

class Strategy {
 public:
  virtual ~Strategy() = default;

  /// The next point to measure, never one proposed or told before; nothing when the space is done.
  virtual std::optional<size_t> propose() = 0;

  /// Told in the order proposed. Observations of points never proposed (an earlier log) are
  /// welcome before the first propose().
  virtual void observe(const Observation& observation) = 0;
};

/// "xgb", "random", "grid". kInvalidInput lists them when the name is none of these.
Result<std::unique_ptr<Strategy>> make_strategy(std::string_view name, SearchProblem problem);
std::vector<std::string_view> strategy_names();

}  // namespace tinytune
