#include "tuner/tuning_task.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "base/check.h"
#include "schedules/knob_size.h"
#include "templates/kernel_template.h"

namespace tinytune {

namespace {

double difference(const std::string& a, const std::string& b) {
  if (a == b) return 0;
  const auto x = knob_size(a), y = knob_size(b);
  return x && y ? std::abs(*x - *y) : 1;
}

/// Of the schedule's template; nothing where the space has none of it.
std::optional<size_t> nearest_in(const ConfigSpace& space, const Schedule& schedule) {
  std::optional<size_t> nearest;
  double least = std::numeric_limits<double>::infinity();
  for (size_t point = 0; point < space.size(); ++point) {
    const ConfigSpace::Family& family = space.family(space.family_of(point));
    if (family.template_name != schedule.template_name()) continue;
    double apart = 0;
    for (size_t k = 0; k < family.knobs.size(); ++k)
      apart += difference(family.knobs[k].values[space.coordinates(point)[k]],
                          schedule.get(family.knobs[k].name));
    if (apart < least) nearest = point, least = apart;
  }
  return nearest;
}

}  // namespace

std::vector<size_t> starts_in(const ConfigSpace& space, const Workload& workload,
                              const Device& device) {
  std::vector<size_t> starts;
  for (const Schedule& sensible : default_schedules_of(workload, device)) {
    const auto exact = space.find(sensible);
    const auto point = exact ? exact : nearest_in(space, sensible);
    if (point && std::find(starts.begin(), starts.end(), *point) == starts.end())
      starts.push_back(*point);
  }
  return starts;
}

Result<std::vector<TuningTask>> make_tuning_tasks(const std::vector<Task>& tasks,
                                                  const std::vector<int>& selected,
                                                  const Device& device) {
  std::vector<TuningTask> made;
  for (int index : selected) {
    const Task& task = tasks.at(static_cast<size_t>(index));
    const auto by_default = permitted_default_of(task.workload, task.data, device);
    if (!by_default) {
      return by_default.error().within("task " + std::to_string(index) + " (" + task.name + ")");
    }
    TuningTask tuning{index, &task, to_text(task.workload),
                      space_of(task.workload, task.data, device), 0};
    const auto point = tuning.space.find(by_default->schedule);
    TT_CHECK(point.has_value(), "the default schedule is a member of its space");
    tuning.default_point = *point;
    made.push_back(std::move(tuning));
  }
  return made;
}

}  // namespace tinytune
