#include "tuner/trajectory.h"

#include <utility>

#include "base/check.h"
#include "base/rng.h"
#include "search/shared_model.h"
#include "tuner/search_problem.h"

namespace tinytune {
namespace {

std::vector<std::vector<int>> layers_of(const std::vector<TuningTask>& tasks) {
  std::vector<std::vector<int>> layers;
  for (const TuningTask& task : tasks) layers.push_back(task.task->layers);
  return layers;
}

}  // namespace

Result<Trajectory> Trajectory::create(const std::vector<TuningTask>& tasks, const Device& device,
                                      const RunSettings& settings,
                                      std::shared_ptr<const Prior> prior) {
  const auto model = std::make_shared<SharedModel>(settings.seed);
  if (prior) prior->teach(*model);
  std::vector<std::unique_ptr<Strategy>> strategies;
  for (const TuningTask& task : tasks) {
    SearchProblem problem = problem_of(task, device);
    // Seeded by workload, so that equal tasks of two runs draw the same random numbers.
    problem.seed = Rng(settings.seed).fork(task.workload).next();
    problem.last_stage = settings.fidelity;
    problem.model = model;
    if (prior) problem.proven = prior->proven_for(task);
    TT_TRY_ASSIGN(auto strategy, make_strategy(settings.tuner, std::move(problem)));
    strategies.push_back(std::move(strategy));
  }
  Trajectory trajectory(tasks, std::move(strategies));
  trajectory.prior_ = std::move(prior);
  return trajectory;
}

Trajectory::Trajectory(const std::vector<TuningTask>& tasks,
                       std::vector<std::unique_ptr<Strategy>> strategies)
    : tasks_(&tasks), strategies_(std::move(strategies)), budget_(layers_of(tasks)) {
  TT_CHECK(strategies_.size() == tasks.size(), "a strategy per task");
}

void Trajectory::tell_history(const Measurement& measurement) {
  for (size_t t = 0; t < tasks_->size(); ++t) {
    if ((*tasks_)[t].workload != measurement.workload) continue;
    const auto schedule = parse_schedule(measurement.schedule);
    const auto point = schedule ? (*tasks_)[t].space.find(*schedule) : std::nullopt;
    if (point) observe({t, {*point, measurement.fidelity}}, measurement);
    return;
  }
}

std::optional<Trial> Trajectory::propose() {
  while (const auto task = budget_.next()) {
    Strategy& strategy = *strategies_[*task];
    const auto proposal = strategy.is_done() ? std::nullopt : strategy.propose();
    if (proposal) {
      if (proposal->stage != Fidelity::kBuild) budget_.proposed(*task);
      return Trial{*task, *proposal};
    }
    budget_.exhausted(*task);
  }
  return std::nullopt;
}

void Trajectory::observe(const Trial& trial, const Measurement& measurement) {
  const Observation observation = observation_of(trial.proposal.point, measurement);
  strategies_[trial.task]->observe(observation);
  if (trial.proposal.stage == Fidelity::kBuild) {
    if (measurement.outcome == Outcome::kOk) return;
    budget_.proposed(trial.task);
  }
  budget_.observed(trial.task, observation);
}

}  // namespace tinytune
