#include "tuner/rank_forecast.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.h"
#include "search/shared_model.h"
#include "tuner/search_problem.h"
#include "tuner/tuning_task.h"

namespace tinytune {
namespace {

constexpr size_t kFewestPoints = 4;

/// Returns the rank of each value; equal values share their mean rank.
std::vector<double> ranks_of(std::span<const double> values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (size_t first = 0, end = 0; first < order.size(); first = end) {
    while (end < order.size() && values[order[end]] == values[order[first]]) ++end;
    const double mean = static_cast<double>(first + end - 1) / 2;
    for (size_t i = first; i < end; ++i) ranks[order[i]] = mean;
  }
  return ranks;
}

/// A record of a task whose schedule is in the space, with its point.
struct Heard {
  size_t point = 0;
  const Measurement* measurement = nullptr;
};

std::vector<Heard> records_of(const TuningTask& task, const Records& records) {
  std::vector<Heard> heard;
  for (const Measurement* m : records.of(task.workload)) {
    const auto schedule = parse_schedule(m->schedule);
    const auto point = schedule ? task.space.find(*schedule) : std::nullopt;
    if (point) heard.push_back({*point, m});
  }
  return heard;
}

RankForecast forecast_of(SharedModel& model, size_t task, std::span<const Heard> later) {
  RankForecast forecast;
  std::vector<size_t> points;
  std::vector<double> speed, scored;
  for (const auto& [point, measurement] : later) {
    const auto cycles = measurement->median_cycles();
    if (!cycles) continue;
    points.push_back(point);
    forecast.points.push_back({0, *cycles});
    speed.push_back(-static_cast<double>(*cycles));
  }
  if (points.empty()) return forecast;
  const std::vector<float> scores = model.scores(task, points);
  for (size_t i = 0; i < scores.size(); ++i) {
    forecast.points[i].score = scores[i];
    scored.push_back(scores[i]);
  }
  forecast.correlation = rank_correlation(scored, speed);
  return forecast;
}

}  // namespace

std::optional<double> rank_correlation(std::span<const double> a, std::span<const double> b) {
  TT_CHECK(a.size() == b.size(), "pairs");
  if (a.size() < kFewestPoints) return std::nullopt;
  const std::vector<double> x = ranks_of(a), y = ranks_of(b);
  const double mean = static_cast<double>(x.size() - 1) / 2;
  double xy = 0, xx = 0, yy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  if (xx == 0 || yy == 0) return std::nullopt;
  return xy / std::sqrt(xx * yy);
}

Result<std::vector<RankForecast>> forecast_ranks(const std::vector<Task>& tasks,
                                                 const Device& device, const Records& records) {
  std::vector<int> all(tasks.size());
  std::iota(all.begin(), all.end(), 0);
  TT_TRY_ASSIGN(const std::vector<TuningTask> tuning, make_tuning_tasks(tasks, all, device));
  SharedModel model(/*seed=*/1);
  std::vector<std::vector<Heard>> heard;
  for (const TuningTask& task : tuning) {
    heard.push_back(records_of(task, records));
    const size_t number = model.add_task(problem_of(task, device));
    for (const Heard& h : std::span(heard.back()).first(heard.back().size() / 2))
      model.observe(number, observation_of(h.point, *h.measurement));
  }
  std::vector<RankForecast> forecasts;
  for (size_t t = 0; t < tuning.size(); ++t) {
    const size_t half = heard[t].size() / 2;
    forecasts.push_back(forecast_of(model, t, std::span(heard[t]).subspan(half)));
    forecasts.back().heard = half;
  }
  return forecasts;
}

}  // namespace tinytune
