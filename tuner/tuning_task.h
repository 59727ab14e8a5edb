// A task of the model as it is tuned: with the schedules that there are to choose from.
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
  const Task* task = nullptr;  ///< outlives this
  std::string workload;        ///< text form, as records hold it
  ConfigSpace space;
  size_t default_point = 0;  ///< the first default that all its layers' constants permit
};

/// Whether the constants of the task's layers behind the first permit the schedule.
bool permitted_by_others(const Task& task, const Schedule& schedule);

/// The defaults of every template that takes the workload; where the space lacks one, because no
/// memory is left for its scratch, the point of that template that differs least from it.
std::vector<size_t> starts_in(const ConfigSpace& space, const Workload& workload,
                              const Device& device);

/// kUnsupported: no template takes one of the tasks on this device, or its constants.
Result<std::vector<TuningTask>> make_tuning_tasks(const std::vector<Task>& tasks,
                                                  const std::vector<int>& selected,
                                                  const Device& device);

}  // namespace tinytune
