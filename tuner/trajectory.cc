#include "tuner/trajectory.h"

#include <utility>

#include "base/check.h"
#include "base/rng.h"
#include "templates/kernel_template.h"

namespace tinytune {
namespace {

LoopNest describe(const TuningTask& task, size_t point) {
  const Schedule schedule = task.space.schedule(point);
  const auto owner = find_template(schedule);
  TT_CHECK(owner.has_value(), "a space holds only schedules of this build's templates");
  return (*owner)->describe(task.task->workload, schedule);
}

Observation observation_of(size_t point, const Measurement& measurement) {
  const auto cycles = measurement.median_cycles();
  return {point, measurement.outcome, cycles ? static_cast<double>(*cycles) : 0};
}

}  // namespace

Result<std::vector<TuningTask>> make_tuning_tasks(const std::vector<Task>& tasks,
                                                  const std::vector<int>& selected,
                                                  const Device& device) {
  std::vector<TuningTask> made;
  for (int index : selected) {
    const Task& task = tasks.at(static_cast<size_t>(index));
    const Result<Schedule> by_default = default_schedule_of(task.workload, device);
    if (!by_default) {
      return by_default.error().within("task " + std::to_string(index) + " (" + task.name + ")");
    }
    TuningTask tuning{index, &task, to_text(task.workload), space_of(task.workload, device), 0};
    const auto point = tuning.space.find(*by_default);
    TT_CHECK(point.has_value(), "the default schedule is a member of its space");
    tuning.default_point = *point;
    made.push_back(std::move(tuning));
  }
  return made;
}

Result<Trajectory> Trajectory::create(const std::vector<TuningTask>& tasks, std::string_view tuner,
                                      uint64_t seed) {
  std::vector<double> weights;
  for (const TuningTask& task : tasks)
    weights.push_back(static_cast<double>(task.task->layers.size()));
  Trajectory trajectory(tasks, std::move(weights));
  for (const TuningTask& task : tasks) {
    SearchProblem problem;
    problem.space = &task.space;
    problem.describe = [&task](size_t point) { return describe(task, point); };
    problem.default_point = task.default_point;
    // By workload, so that a task searches alike whichever others are tuned beside it.
    problem.seed = Rng(seed).fork(task.workload).next();
    TT_TRY_ASSIGN(auto strategy, make_strategy(tuner, std::move(problem)));
    trajectory.strategies_.push_back(std::move(strategy));
  }
  return trajectory;
}

void Trajectory::tell_history(const Measurement& measurement) {
  for (size_t t = 0; t < tasks_->size(); ++t) {
    if ((*tasks_)[t].workload != measurement.workload) continue;
    const auto schedule = parse_schedule(measurement.schedule);
    const auto point = schedule ? (*tasks_)[t].space.find(*schedule) : std::nullopt;
    if (point) observe({t, *point}, measurement);
    return;
  }
}

std::optional<Proposal> Trajectory::propose() {
  while (const auto task = budget_.next()) {
    if (const auto point = strategies_[*task]->propose()) {
      budget_.proposed(*task);
      return Proposal{*task, *point};
    }
    budget_.exhausted(*task);
  }
  return std::nullopt;
}

void Trajectory::observe(const Proposal& proposal, const Measurement& measurement) {
  const Observation observation = observation_of(proposal.point, measurement);
  strategies_[proposal.task]->observe(observation);
  budget_.observed(proposal.task, observation);
}

}  // namespace tinytune
