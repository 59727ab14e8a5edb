#include "tests/soak/boards/candidates.h"

#include "deploy/model/model_state.h"
#include "deploy/selection/layouts.h"
#include "measure/builder.h"
#include "measure/test_cases.h"
#include "templates/kernel_template.h"

namespace tinytune {

BuiltCandidates build_candidates(const std::string& path, const Device& device, size_t count) {
  const Model model = must(Model::load(path, {}));
  BuiltCandidates candidates;
  for (const Task& task : tasks_in(model.state().tasks, LayoutPolicy::kNhwc))
    candidates.tasks.push_back(make_task_data(task.workload, task.data, 1));
  Builder builder = must(Builder::start(device));
  for (size_t i = 0; candidates.list.size() < count; ++i) {
    const size_t task = i * candidates.tasks.size() / count % candidates.tasks.size();
    const TaskData& data = candidates.tasks[task];
    const ConfigSpace space = space_of(data.workload, device);
    const Schedule schedule = space.schedule(i * 17 % space.size());
    const BuildReport built = must(builder.build(data, schedule, {}));
    if (built.outcome == Outcome::kOk) candidates.list.push_back({task, schedule, built.kernel});
  }
  return candidates;
}

}  // namespace tinytune
