#include "search/budget.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/check.h"

namespace tinytune {
namespace {

// The best of n trials is assumed to lie a share of kDistance / n above the optimum. Two stalled
// tasks then get trials in the ratio of the square roots of their cycles; in the ratio of the
// cycles themselves, small layers would starve.
constexpr double kDistance = 2;

// One trial in this many is dealt out evenly, up to the minimum of each task.
constexpr size_t kEvenShare = 4;

}  // namespace

Budget::Budget(const std::vector<std::vector<int>>& layers) {
  std::map<int, size_t> places;
  for (const std::vector<int>& of_task : layers) {
    TT_CHECK(!of_task.empty(), "every task stands for a layer");
    tasks_.emplace_back();
    for (const int layer : of_task)
      tasks_.back().layers.push_back(places.try_emplace(layer, places.size()).first->second);
  }
  layer_count_ = places.size();
}

// Returns the logarithm of the speed-up that the task may still gain over its best.
double Budget::TaskState::potential() const {
  double recent = 0;
  if (best() < kUnknown) {
    const double middle = best_after[best_after.size() / 2];
    recent = middle < kUnknown ? std::log(middle / best()) : 1;
  }
  return recent + kDistance / static_cast<double>(std::max<size_t>(1, proposed));
}

size_t Budget::minimum() const {
  size_t trials = 0;
  for (const TaskState& task : tasks_) trials += task.proposed;
  return std::clamp<size_t>(trials / (kEvenShare * tasks_.size()), 1, kMinimumTrials);
}

/// Returns each layer's cycles with the best kernel of all its tasks.
std::vector<double> Budget::layer_cycles() const {
  std::vector<double> cycles(layer_count_, kUnknown);
  for (const TaskState& task : tasks_)
    for (const size_t layer : task.layers) cycles[layer] = std::min(cycles[layer], task.best());
  return cycles;
}

/// Returns the cycles of the network that one more trial may save. A layer without a kernel is
/// taken to cost as much as the most expensive task, because it runs untuned; before the task's
/// first outcome as much as the cheapest one, because its cost will soon be known and a small layer
/// should not get trials in advance. A task without a kernel is taken to cost as much as its layer.
double Budget::gain(const TaskState& task, const std::vector<double>& layer_cycles,
                    const Range& known) const {
  const double shrunk = std::exp(-task.potential());
  const double unknown = task.best_after.empty() ? known.cheapest : known.dearest;
  double saved = 0;
  for (const size_t layer : task.layers) {
    const double now = layer_cycles[layer] < kUnknown ? layer_cycles[layer] : unknown;
    const double from = task.best() < kUnknown ? task.best() : now;
    saved += std::max(0.0, now - from * shrunk);
  }
  return saved / static_cast<double>(std::max<size_t>(1, task.proposed));
}

std::optional<size_t> Budget::next() const {
  if (tasks_.empty()) return std::nullopt;
  const std::vector<double> cycles = layer_cycles();
  Range known;
  for (const TaskState& task : tasks_) {
    if (task.best() == kUnknown) continue;
    known.dearest = std::max(known.dearest, task.best());
    known.cheapest = std::min(known.cheapest, task.best());
  }
  known.cheapest = std::min(known.cheapest, known.dearest);

  const size_t even = minimum();
  std::optional<size_t> chosen;
  double most = -1;
  for (size_t t = 0; t < tasks_.size(); ++t) {
    const TaskState& task = tasks_[t];
    if (task.done) continue;
    const double urgent =
        std::numeric_limits<double>::max() / (1.0 + static_cast<double>(task.proposed));
    const double gained = task.proposed < even ? urgent : gain(task, cycles, known);
    if (gained > most) chosen = t, most = gained;  // ties go to the first
  }
  return chosen;
}

void Budget::proposed(size_t task) { ++tasks_.at(task).proposed; }

void Budget::observed(size_t task, const Observation& observation) {
  std::vector<double>& best = tasks_.at(task).best_after;
  // More outcomes than proposals: a trial of an earlier log, which counts as one of this run.
  if (best.size() == tasks_[task].proposed) ++tasks_[task].proposed;
  best.push_back(std::min(tasks_[task].best(), observation.cycles().value_or(kUnknown)));
}

void Budget::exhausted(size_t task) { tasks_.at(task).done = true; }

}  // namespace tinytune
