#include "tuner/tuning_task.h"

#include <utility>

#include "base/check.h"
#include "templates/kernel_template.h"

namespace tinytune {

std::vector<size_t> starts_of(const TuningTask& task, const Device& device) {
  std::vector<size_t> starts;
  for (const Schedule& sensible : default_schedules_of(task.task->workload, device))
    if (const auto point = task.space.find(sensible)) starts.push_back(*point);
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
    TuningTask tuning{index, &task, to_text(task.workload), space_of(task.workload, device), 0};
    const auto point = tuning.space.find(by_default->schedule);
    TT_CHECK(point.has_value(), "the default schedule is a member of its space");
    tuning.default_point = *point;
    made.push_back(std::move(tuning));
  }
  return made;
}

}  // namespace tinytune
