// A search strategy with an ask/tell interface: a pure function of space, seed and observations.
//
// Points are indices into the task's ConfigSpace. A strategy never sees a device, a worker or a
// clock, so each can be tested without a board, and the same seed gives the same run.
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

/// A named number about the device: "registers", "cycles of a load".
using DeviceFact = std::pair<std::string, double>;

/// The task description for a strategy. `describe` must be thread-safe and deterministic.
struct SearchProblem {
  const ConfigSpace* space = nullptr;  ///< must outlive the strategy
  std::function<LoopNest(size_t point)> describe;
  /// The hand-chosen default, proposed first; nothing if there is none.
  std::optional<size_t> default_point = {};
  /// Sensible points of every family, for strategies that try each family before they choose.
  std::vector<size_t> starts = {};
  /// Points that were fast for a layer of the same shape, the fastest first; tried after the
  /// default.
  std::vector<size_t> proven = {};
  uint64_t seed = 1;
  Fidelity last_stage = Fidelity::kSimulate;  ///< the stage that yields cycles in this run
  std::vector<DeviceFact> device = {};
  /// Model shared by the run's tasks; if null, a strategy that needs a model creates its own.
  std::shared_ptr<SharedModel> model = nullptr;
};

class Strategy {
 public:
  virtual ~Strategy() = default;

  /// Returns the next point to try; nothing when the space is exhausted. A point that was proposed
  /// or observed is proposed again only for a later stage, such as a run after a build.
  virtual std::optional<Proposal> propose() = 0;

  /// Returns whether the observations indicate that further trials are not worth their time.
  /// propose() may still be called.
  virtual bool is_done() const { return false; }

  /// Receives an outcome, in the order of the proposals. Observations of points never proposed (of
  /// an earlier log) are accepted before the first propose().
  virtual void observe(const Observation& observation) = 0;
};

/// Checks that `name` is one of strategy_names(). kInvalidInput lists them.
Status check_strategy(std::string_view name);
/// Makes the strategy of that name. kInvalidInput: as for check_strategy().
Result<std::unique_ptr<Strategy>> make_strategy(std::string_view name, SearchProblem problem);
/// Returns the version of a strategy's behaviour, raised whenever equal calls give other proposals.
/// 0 if the name is not one of strategy_names(), as of a caller's own strategy.
int strategy_version(std::string_view name);
std::vector<std::string_view> strategy_names();

}  // namespace tinytune
