#include "bench/search/replay.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <optional>

#include "base/check.h"
#include "base/rng.h"
#include "search/budget.h"
#include "templates/kernel_template.h"

namespace tinytune::bench {
namespace {

constexpr double kNothing = std::numeric_limits<double>::infinity();

SearchProblem problem_of(const SpaceTable& table, const Way& way,
                         std::shared_ptr<SharedModel> model) {
  SearchProblem problem;
  problem.space = &table.space;
  problem.describe = [&table](size_t point) {
    const Schedule schedule = table.space.schedule(point);
    return (*find_template(schedule))->describe(table.workload, schedule);
  };
  if (!way.blind) {
    problem.default_point = table.defaults.front();
    problem.starts = table.defaults;
  }
  problem.seed = Rng(way.seed).fork(table.task).next();
  problem.model = std::move(model);
  return problem;
}

Observation outcome_of(const SpaceTable& table, size_t point) {
  const SpaceTable::Row& row = table.rows.at(point);
  Observation observation{.point = point, .outcome = row.outcome};
  if (row.outcome == Outcome::kOk) observation.samples = {row.cycles};
  observation.code.code_bytes = row.code_bytes;
  return observation;
}

std::unique_ptr<Strategy> strategy_of(const Way& way, SearchProblem problem) {
  auto strategy = make_strategy(way.strategy, std::move(problem));
  TT_CHECK(strategy.has_value(), strategy.has_value() ? "" : strategy.error().message());
  return std::move(strategy).value();
}

}  // namespace

size_t trials_to(const Curve& curve, double share) {
  const auto reached =
      std::find_if(curve.begin(), curve.end(), [&](double over) { return over <= 1 + share; });
  return static_cast<size_t>(reached - curve.begin()) + 1;
}

Replayed replay(const SpaceTable& table, const Way& way, size_t trials,
                std::shared_ptr<SharedModel> model) {
  const auto strategy = strategy_of(way, problem_of(table, way, std::move(model)));
  const double best = static_cast<double>(table.best().value());
  std::deque<size_t> out;
  Curve curve;
  std::vector<size_t> points;
  double found = kNothing;
  bool more = true;
  std::optional<size_t> done_after;
  while (curve.size() < trials) {
    while (more && out.size() < way.window) {
      if (!done_after && strategy->is_done()) done_after = curve.size() + out.size();
      const auto proposal = strategy->propose();
      more = proposal.has_value();
      if (more) out.push_back(proposal->point);
    }
    if (out.empty()) break;
    const Observation outcome = outcome_of(table, out.front());
    points.push_back(out.front());
    out.pop_front();
    strategy->observe(outcome);
    found = std::min(found, outcome.cycles().value_or(kNothing) / best);
    curve.push_back(found);
  }
  const size_t spent = curve.size();
  curve.resize(trials, found);
  return {std::move(curve), std::min(done_after.value_or(spent), trials), std::move(points)};
}

Curve replay_network(const std::vector<const SpaceTable*>& tasks, const Way& way, size_t trials) {
  const auto model = std::make_shared<SharedModel>(way.seed);
  std::vector<std::unique_ptr<Strategy>> strategies;
  std::vector<std::vector<int>> layers;
  std::vector<double> found;
  double best = 0;
  int next_layer = 0;
  for (const SpaceTable* table : tasks) {
    strategies.push_back(strategy_of(way, problem_of(*table, way, model)));
    layers.emplace_back();
    for (int i = 0; i < table->layers; ++i) layers.back().push_back(next_layer++);
    found.push_back(static_cast<double>(table->rows.at(table->defaults.front()).cycles));
    best += static_cast<double>(table->best().value()) * table->layers;
  }
  Budget budget(layers);
  std::deque<std::pair<size_t, size_t>> out;
  Curve curve;
  while (curve.size() < trials) {
    while (out.size() < way.window) {
      const auto task = budget.next();
      if (!task) break;
      Strategy& strategy = *strategies[*task];
      const auto proposal = strategy.is_done() ? std::nullopt : strategy.propose();
      if (proposal) {
        budget.proposed(*task);
        out.emplace_back(*task, proposal->point);
      } else {
        budget.exhausted(*task);
      }
    }
    if (out.empty()) break;
    const auto [task, point] = out.front();
    out.pop_front();
    const Observation outcome = outcome_of(*tasks[task], point);
    strategies[task]->observe(outcome);
    budget.observed(task, outcome);
    found[task] = std::min(found[task], outcome.cycles().value_or(kNothing));
    double network = 0;
    for (size_t t = 0; t < tasks.size(); ++t) network += found[t] * tasks[t]->layers;
    curve.push_back(network / best);
  }
  curve.resize(trials, curve.empty() ? kNothing : curve.back());
  return curve;
}

Log logged(const SpaceTable& table, const Way& way, size_t trials) {
  return {&table, replay(table, way, trials).points};
}

std::shared_ptr<SharedModel> taught_by(const std::vector<const Log*>& logs, uint64_t seed) {
  auto model = std::make_shared<SharedModel>(seed);
  for (const Log* log : logs) {
    const size_t task =
        model->add_task(problem_of(*log->table, {.strategy = {}, .seed = seed}, nullptr));
    for (const size_t point : log->points) model->observe(task, outcome_of(*log->table, point));
  }
  return model;
}

}  // namespace tinytune::bench
