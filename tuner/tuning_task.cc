#include "tuner/tuning_task.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "base/check.h"
#include "deploy/estimated_kernels.h"
#include "deploy/lean_schedules.h"
#include "templates/kernel_template.h"

namespace tinytune {

namespace {

/// Of the schedule's template; nothing where the space has none of it.
std::optional<size_t> nearest_in(const ConfigSpace& space, const Workload& workload,
                                 const Schedule& schedule) {
  const ConfigSpace own = space.filtered(
      [&](const Schedule& s) { return s.template_name() == schedule.template_name(); });
  if (own.size() == 0) return std::nullopt;
  return space.find(
      nearest_within(own, workload, schedule, std::numeric_limits<uint64_t>::max()).front());
}

}  // namespace

std::vector<size_t> starts_in(const ConfigSpace& space, const Workload& workload,
                              const Device& device) {
  const std::vector<Schedule> sensible = default_schedules_of(workload, device);
  std::vector<size_t> starts;
  const auto add = [&](size_t point) {
    if (std::find(starts.begin(), starts.end(), point) == starts.end()) starts.push_back(point);
  };
  for (auto first = sensible.begin(); first != sensible.end();) {
    const auto last = std::find_if(first, sensible.end(), [&](const Schedule& s) {
      return s.template_name() != first->template_name();
    });
    const size_t before = starts.size();
    for (auto s = first; s != last; ++s)
      if (const auto point = space.find(*s)) add(*point);
    const auto nearest =
        starts.size() == before ? nearest_in(space, workload, *first) : std::nullopt;
    if (nearest) add(*nearest);
    first = last;
  }
  return starts;
}

Result<std::vector<TuningTask>> make_tuning_tasks(const std::vector<Task>& tasks,
                                                  const std::vector<int>& selected,
                                                  const Device& device) {
  std::vector<TuningTask> made;
  for (int index : selected) {
    const Task& task = tasks.at(static_cast<size_t>(index));
    const auto by_default = usual_kernel(task.workload, task.data, device);
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
