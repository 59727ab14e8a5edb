#include "tuner/search_problem.h"

#include "base/check.h"
#include "templates/kernel_template.h"
#include "tuner/device_facts.h"

namespace tinytune {
namespace {

LoopNest describe(const Workload& workload, const Schedule& schedule) {
  const auto owner = find_template(schedule);
  TT_CHECK(owner.has_value(), "a space holds only schedules of this build's templates");
  return (*owner)->describe(workload, schedule);
}

}  // namespace

SearchProblem problem_of(const Workload& workload, const ConfigSpace& space, const Device& device) {
  SearchProblem problem;
  problem.space = &space;
  problem.describe = [workload, &space](size_t point) {
    return describe(workload, space.schedule(point));
  };
  problem.starts = starts_in(space, workload, device);
  if (!problem.starts.empty()) problem.default_point = problem.starts.front();
  problem.device = facts_of(device);
  return problem;
}

SearchProblem problem_of(const TuningTask& task, const Device& device) {
  SearchProblem problem = problem_of(task.task->workload, task.space, device);
  problem.default_point = task.default_point;
  return problem;
}

Observation observation_of(size_t point, const Measurement& m) {
  return {.point = point,
          .outcome = m.outcome,
          .samples = m.cycles,
          .fidelity = m.fidelity,
          .code = m.code,
          .seconds = m.seconds};
}

}  // namespace tinytune
