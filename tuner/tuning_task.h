// A task of the model with its space of schedules, ready to be tuned.
#pragma once

#include <string>
#include <vector>

#include "devices/device.h"
#include "models/tasks.h"
#include "schedules/config_space.h"
#include "tinytune/result.h"

namespace tinytune {

struct TuningTask {
  int index = 0;               ///< in the model
  const Task* task = nullptr;  ///< must outlive this
  std::string workload;        ///< text form, as in records
  ConfigSpace space;
  size_t default_point = 0;  ///< the first default that all its layers' constants permit
};

/// Returns whether the constants of the task's other layers, after the first, permit the schedule.
bool permitted_by_others(const Task& task, const Schedule& schedule);

/// Returns the defaults of every template that takes the workload. If the space has none of a
/// template's defaults, because their scratch does not fit, the nearest point of that template.
std::vector<size_t> starts_in(const ConfigSpace& space, const Workload& workload,
                              const Device& device);

/// Makes the selected tasks. kUnsupported: no template takes one of the tasks on this device, or
/// its constants.
Result<std::vector<TuningTask>> make_tuning_tasks(const std::vector<Task>& tasks,
                                                  const std::vector<int>& selected,
                                                  const Device& device);

}  // namespace tinytune
