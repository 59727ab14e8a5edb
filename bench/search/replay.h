// Strategies replayed over tables: the results of a run, without building anything.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/spaces/space_table.h"
#include "search/shared_model.h"
#include "search/strategy.h"

namespace tinytune::bench {

/// How a run searches, as the real program would.
struct Way {
  std::string strategy;
  size_t window = 4;  ///< proposals pending before the first outcome is told
  uint64_t seed = 1;
  bool blind = false;  ///< without defaults; no real run lacks them
};

/// Best cycles found after each trial, divided by the table's best; infinite until one ran.
using Curve = std::vector<double>;

/// Trials until a curve is within `share` of the optimum; its length plus one if it never is.
size_t trials_to(const Curve& curve, double share);

struct Replayed {
  Curve curve;
  size_t done_after = 0;       ///< trials after which a run would have left the task
  std::vector<size_t> points;  ///< in the order told
};

/// Replays one task from its default, until `trials` or the end of the space. `model`: trained
/// before; null: none.
Replayed replay(const SpaceTable& table, const Way& way, size_t trials,
                std::shared_ptr<SharedModel> model = nullptr);

/// Replays the tasks of one network as a run tunes them, with the budget between them. Returns the
/// network's cycles after each trial over its optimum; a layer without a kernel counts as its
/// default. A task that is done gets no more trials.
Curve replay_network(const std::vector<const SpaceTable*>& tasks, const Way& way, size_t trials);

/// A table and the points that were tried on it, in order.
struct Log {
  const SpaceTable* table = nullptr;
  std::vector<size_t> points;
};

/// Returns the log of a run that tuned the table without prior knowledge.
Log logged(const SpaceTable& table, const Way& way, size_t trials);

/// Returns a model trained on these logs. They must outlive it, and so must their tables.
std::shared_ptr<SharedModel> taught_by(const std::vector<const Log*>& logs, uint64_t seed);

}  // namespace tinytune::bench
