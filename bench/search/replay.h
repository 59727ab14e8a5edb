// Strategies replayed over tables: what a run would have found, without building anything.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/spaces/space_table.h"
#include "search/shared_model.h"
#include "search/strategy.h"

namespace tinytune::bench {

/// How runs are made: the real program's own ways.
struct Way {
  std::string strategy;
  size_t window = 4;  ///< proposals that are out before the first outcome is told
  uint64_t seed = 1;
  bool blind = false;  ///< as if nobody had chosen a default, which no real run is
};

/// Best cycles found after each trial, divided by the table's best; infinite until one ran.
using Curve = std::vector<double>;

/// Trials until a curve is within `share` of the best; its length plus one where it never is.
size_t trials_to(const Curve& curve, double share);

struct Replayed {
  Curve curve;
  size_t done_after = 0;       ///< trials at which a run would have left the task
  std::vector<size_t> points;  ///< in the order told
};

/// One task from its default, until `trials` or the end of the space. `model`: what was taught
/// before, or nothing.
Replayed replay(const SpaceTable& table, const Way& way, size_t trials,
                std::shared_ptr<SharedModel> model = nullptr);

/// Tasks of one network as a run tunes them, the budget between them: the network's cycles after
/// each trial over its best, where a layer without a kernel counts as its default. A task that is
/// done gets no more of them.
Curve replay_network(const std::vector<const SpaceTable*>& tasks, const Way& way, size_t trials);

/// A table and the points that were tried on it, in their order.
struct Log {
  const SpaceTable* table = nullptr;
  std::vector<size_t> points;
};

/// What a run's log holds of a table that it tuned cold.
Log logged(const SpaceTable& table, const Way& way, size_t trials);

/// A model that was told these logs. They outlive it, and so do their tables.
std::shared_ptr<SharedModel> taught_by(const std::vector<const Log*>& logs, uint64_t seed);

}  // namespace tinytune::bench
