#include "tuner/tuning_task.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "base/check.h"
#include "deploy/selection/estimated_kernels.h"
#include "deploy/selection/low_scratch_schedules.h"
#include "templates/kernel_template.h"

namespace tinytune {

namespace {

/// Returns the nearest point of the schedule's template; nothing if the space has none.
std::optional<size_t> nearest_in(const ConfigSpace& space, const Workload& workload,
                                 const Schedule& schedule) {
  const ConfigSpace own = space.filtered(
      [&](const Schedule& s) { return s.template_name() == schedule.template_name(); });
  if (own.size() == 0) return std::nullopt;
  return space.find(
      nearest_within(own, workload, schedule, std::numeric_limits<uint64_t>::max()).front());
}

/// Returns the schedules that are in the space of every layer's constants.
ConfigSpace space_of_all(const Task& task, const Device& device) {
  ConfigSpace space = space_of(task.workload, task.data, device);
  for (const LayerData& other : task.others) {
    const ConfigSpace theirs = space_of(task.workload, other, device);
    space = space.filtered([&](const Schedule& s) { return theirs.find(s).has_value(); });
  }
  return space;
}

/// Returns the default by the rule of networks (deploy/selection/kernel_options.cc): the first that
/// every layer's constants permit.
Result<Schedule> default_of_all(const Task& task, const ConfigSpace& space, const Device& device) {
  TT_TRY_ASSIGN(PackedSchedule first, usual_kernel(task.workload, task.data, device));
  if (permitted_by_others(task, first.schedule)) return std::move(first.schedule);
  const auto permitted = [&](const Schedule& s) {
    return space.find(s).has_value() && permitted_by_others(task, s);
  };
  for (const EstimatedKernel& next : estimated_kernels(task.workload, task.data, device, {}))
    if (permitted(next.schedule)) return next.schedule;
  TT_TRY_ASSIGN(PackedSchedule any,
                permitted_default_of(task.workload, task.data, device, permitted));
  return std::move(any.schedule);
}

}  // namespace

bool permitted_by_others(const Task& task, const Schedule& schedule) {
  const auto owner = find_template(schedule);
  return owner && std::all_of(task.others.begin(), task.others.end(), [&](const LayerData& other) {
           return bool{(*owner)->pack(task.workload, other, schedule)};
         });
}

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
    TuningTask tuning{index, &task, to_text(task.workload), space_of_all(task, device), 0};
    const auto by_default = default_of_all(task, tuning.space, device);
    if (!by_default) {
      return by_default.error().within("task " + std::to_string(index) + " (" + task.name + ")");
    }
    const auto point = tuning.space.find(*by_default);
    TT_CHECK(point.has_value(), "the default schedule is a member of its space");
    tuning.default_point = *point;
    made.push_back(std::move(tuning));
  }
  return made;
}

}  // namespace tinytune
