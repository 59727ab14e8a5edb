#include "tuner/prior.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "templates/kernel_template.h"
#include "tuner/search_problem.h"

namespace tinytune {
namespace {

/// Evenly over the log, and the best whatever its place.
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

/// How unlike two tasks of one kind are: doublings between their extents, and what makes another
/// loop of them.
double distance(const Workload& a, const Workload& b) {
  const auto doublings = [](int64_t x, int64_t y) {
    return std::abs(std::log2(static_cast<double>(x) / static_cast<double>(y)));
  };
  constexpr double kOtherLoop = 4;
  double sum = doublings(a.in_c, b.in_c) + doublings(a.out_c, b.out_c) +
               doublings(int64_t{a.out_h} * a.out_w, int64_t{b.out_h} * b.out_w);
  for (const bool differs :
       {a.kernel_h != b.kernel_h || a.kernel_w != b.kernel_w,
        a.stride_h != b.stride_h || a.stride_w != b.stride_w, !(a.facts == b.facts)})
    sum += differs ? kOtherLoop : 0;
  return sum;
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
    Told told{text, *workload, space_of(*workload, device), {}, 0};
    for (const Measurement* m : chosen(all, kMostRows)) {
      const auto schedule = parse_schedule(m->schedule);
      const auto point = schedule ? told.space.find(*schedule) : std::nullopt;
      if (point) told.observations.push_back(observation_of(*point, *m));
    }
    // The best comes first, and where not even it ran there is nothing to propose or to rank.
    if (told.observations.empty() || !told.observations.front().cycles()) continue;
    told.best = told.observations.front().point;
    told_.push_back(std::move(told));
  }
}

void Prior::teach(SharedModel& model) const {
  for (const Told& told : told_) {
    const size_t task = model.add_task(problem_of(told.workload, told.space, device_));
    for (const Observation& observation : told.observations) model.observe(task, observation);
  }
}

std::vector<size_t> Prior::starts_for(const TuningTask& task) const {
  const Workload& wanted = task.task->workload;
  std::vector<std::pair<double, const Told*>> likest;
  for (const Told& told : told_)
    if (told.workload.op == wanted.op && told.workload.layout == wanted.layout)
      likest.emplace_back(distance(told.workload, wanted), &told);
  std::stable_sort(likest.begin(), likest.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<size_t> starts;
  for (const auto& [apart, told] : likest) {
    const auto point = task.space.find(told->space.schedule(told->best));
    if (!point || std::find(starts.begin(), starts.end(), *point) != starts.end()) continue;
    starts.push_back(*point);
    if (starts.size() == kMostStarts) break;
  }
  return starts;
}

size_t Prior::used() const {
  size_t used = 0;
  for (const Told& told : told_) used += told.observations.size();
  return used;
}

}  // namespace tinytune
