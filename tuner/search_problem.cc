#include "tuner/search_problem.h"

#include "base/check.h"
#include "templates/kernel_template.h"
#include "tuner/device_facts.h"

namespace tinytune {
namespace {

LoopNest describe(const TuningTask& task, size_t point) {
  const Schedule schedule = task.space.schedule(point);
  const auto owner = find_template(schedule);
  TT_CHECK(owner.has_value(), "a space holds only schedules of this build's templates");
  return (*owner)->describe(task.task->workload, schedule);
}

}  // namespace

SearchProblem problem_of(const TuningTask& task, const Device& device) {
  SearchProblem problem;
  problem.space = &task.space;
  problem.describe = [&task](size_t point) { return describe(task, point); };
  problem.default_point = task.default_point;
  problem.starts = starts_of(task, device);
  problem.device = facts_of(device);
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
