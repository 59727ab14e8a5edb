#include "tuner/prior.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "templates/kernel_template.h"
#include "tuner/search_problem.h"

namespace tinytune {
namespace {

/// Returns the best record, then at most `most` spread evenly over the log.
std::vector<const Measurement*> chosen(const std::vector<const Measurement*>& all, size_t most) {
  const auto fewest_cycles = [](const Measurement* a, const Measurement* b) {
    const auto left = a->median_cycles(), right = b->median_cycles();
    return left && (!right || *left < *right);
  };
  std::vector<const Measurement*> some = {*std::min_element(all.begin(), all.end(), fewest_cycles)};
  const size_t count = std::min(all.size(), most);
  for (size_t i = 0; i < count; ++i) {
    const Measurement* m = all[i * all.size() / count];
    if (m != some.front()) some.push_back(m);
  }
  return some;
}

}  // namespace

Prior::Prior(const std::vector<Measurement>& records, const std::vector<TuningTask>& tasks,
             const std::string& identity, const Device& device)
    : device_(device) {
  std::set<std::string> tuned;
  for (const TuningTask& task : tasks) tuned.insert(task.workload);
  std::map<std::string, std::vector<const Measurement*>> by_workload;
  for (const Measurement& m : records) {
    if (m.run == identity) break;
    if (!tuned.contains(m.workload.str())) by_workload[m.workload.str()].push_back(&m);
  }
  for (const auto& [text, all] : by_workload) {
    const auto workload = parse_workload(text);
    if (!workload) continue;
    Told told{*workload, space_of(*workload, device), {}};
    for (const Measurement* m : chosen(all, kMostRows)) {
      const auto schedule = parse_schedule(m->schedule);
      const auto point = schedule ? told.space.find(*schedule) : std::nullopt;
      if (point) told.observations.push_back(observation_of(*point, *m));
    }
    // The best record comes first; if it has no cycles, no record has any to learn from.
    if (told.observations.empty() || !told.observations.front().cycles()) continue;
    told_.push_back(std::move(told));
  }
}

void Prior::teach(SharedModel& model) const {
  for (const Told& told : told_) {
    const size_t task = model.add_task(problem_of(told.workload, told.space, device_));
    for (const Observation& observation : told.observations) model.observe(task, observation);
  }
}

std::vector<size_t> Prior::proven_for(const TuningTask& task) const {
  constexpr size_t kMost = 2;
  std::vector<std::pair<double, size_t>> points;  // by cycles
  for (const Told& told : told_) {
    if (shape_text(told.workload) != shape_text(task.task->workload)) continue;
    for (const Observation& observation : told.observations)
      if (const auto cycles = observation.cycles())
        if (const auto point = task.space.find(told.space.schedule(observation.point)))
          points.emplace_back(*cycles, *point);
  }
  std::sort(points.begin(), points.end());
  std::vector<size_t> fastest;
  for (const auto& [cycles, point] : points)
    if (fastest.size() < kMost && std::find(fastest.begin(), fastest.end(), point) == fastest.end())
      fastest.push_back(point);
  return fastest;
}

size_t Prior::used() const {
  size_t used = 0;
  for (const Told& told : told_) used += told.observations.size();
  return used;
}

}  // namespace tinytune
