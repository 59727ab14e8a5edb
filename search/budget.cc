#include "search/budget.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"

namespace tinytune {
namespace {

// Take the best of n trials to lie kDistance / n above the optimum. The derivative is what one more
// trial is worth to a task of which nothing else is known; it makes the trials of two stalled tasks
// stand like the square roots of their cycles, where the cycles alone would starve small layers.
constexpr double kDistance = 2;

constexpr double kNone = std::numeric_limits<double>::infinity();

}  // namespace

Budget::Budget(std::vector<double> weights) {
  for (double weight : weights) {
    TT_CHECK(weight > 0, "every task stands for a layer");
    tasks_.push_back({weight});
  }
}

// Expected share of its cycles that one more trial saves.
double Budget::TaskState::gain_rate() const {
  const double n = std::max(1.0, static_cast<double>(proposed));
  double recent = 0;
  if (!best_after.empty() && best_after.back() < kNone) {
    const double middle = best_after[best_after.size() / 2];
    recent = middle < kNone ? std::log(middle / best_after.back()) : 1;
  }
  return recent / n + kDistance / (n * n);
}

std::optional<size_t> Budget::next() const {
  // What a task without a valid kernel costs is unknown; it counts like the most expensive one,
  // because until it has a kernel its layer runs untuned.
  double dearest = 1;
  for (const TaskState& task : tasks_)
    if (!task.best_after.empty() && task.best_after.back() < kNone)
      dearest = std::max(dearest, task.best_after.back());

  std::optional<size_t> chosen;
  double most = -1;
  for (size_t t = 0; t < tasks_.size(); ++t) {
    const TaskState& task = tasks_[t];
    if (task.done) continue;
    double gain = 0;
    if (task.proposed < kMinimumTrials) {
      gain = std::numeric_limits<double>::max() / (1.0 + static_cast<double>(task.proposed));
    } else {
      const bool known = !task.best_after.empty() && task.best_after.back() < kNone;
      gain = task.weight * (known ? task.best_after.back() : dearest) * task.gain_rate();
    }
    if (gain > most) chosen = t, most = gain;  // ties go to the first
  }
  return chosen;
}

void Budget::proposed(size_t task) { ++tasks_.at(task).proposed; }

void Budget::observed(size_t task, const Observation& observation) {
  std::vector<double>& best = tasks_.at(task).best_after;
  // More outcomes than proposals: an earlier log's trial, which counts like one of ours.
  if (best.size() == tasks_[task].proposed) ++tasks_[task].proposed;
  const double before = best.empty() ? kNone : best.back();
  best.push_back(observation.outcome == Outcome::kOk ? std::min(before, observation.cycles)
                                                     : before);
}

void Budget::exhausted(size_t task) { tasks_.at(task).done = true; }

}  // namespace tinytune
