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
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schedules/config_space.h"
#include "schedules/loop_nest.h"
#include "search/observation.h"
#include "tinytune/result.h"

namespace tinytune {

class SharedModel;

/// A number about the device by its name: "registers", "cycles of a load".
using DeviceFact = std::pair<std::string, double>;

/// What a strategy may know of its task. `describe` must be thread-safe and deterministic.
struct SearchProblem {
  const ConfigSpace* space = nullptr;  ///< outlives the strategy
  std::function<LoopNest(size_t point)> describe;
  /// Proposed first; nothing where nobody chose one.
  std::optional<size_t> default_point = {};
  /// A sensible point of every family, for strategies that look at each before they choose.
  std::vector<size_t> starts = {};
  /// What was fast for a layer of the same shape, the fastest first: tried behind the default.
  std::vector<size_t> proven = {};
  uint64_t seed = 1;
  Fidelity last_stage = Fidelity::kSimulate;  ///< the one that gives cycles in this run
  std::vector<DeviceFact> device = {};
  /// What the run's tasks learn together; without one a strategy that wants a model has its own.
  std::shared_ptr<SharedModel> model = nullptr;
};

class Strategy {
 public:
  virtual ~Strategy() = default;

  /// The next point to try, never one proposed or told before that went as far; nothing when the
  /// space is done. What follows a build alone is asked for by another proposal of the same point.
  virtual std::optional<Proposal> propose() = 0;

  /// Whether what it was told says that no further trial is worth its time. Who asks for more
  /// proposals gets them.
  virtual bool is_done() const { return false; }

  /// Told in the order proposed. Observations of points never proposed (an earlier log) are
  /// welcome before the first propose().
  virtual void observe(const Observation& observation) = 0;
};

/// kInvalidInput lists strategy_names() when `name` is none of them.
Status check_strategy(std::string_view name);
/// By a name of strategy_names(). kInvalidInput: as check_strategy().
Result<std::unique_ptr<Strategy>> make_strategy(std::string_view name, SearchProblem problem);
/// Which trajectories the strategy of that name walks: raised whenever equal calls give others. 0
/// of a caller's own.
int strategy_version(std::string_view name);
std::vector<std::string_view> strategy_names();

}  // namespace tinytune
