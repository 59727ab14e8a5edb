#include "search/shared_model.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.h"

namespace tinytune {
namespace {

// The time of a fit grows with its rows, and a run of N trials has about log N fits. With at most
// this many rows a fit takes about 200 ms (bench/search).
constexpr size_t kMostRows = 2048;
constexpr size_t kFewestRowsOfATask = 64;

// The model is refitted when a share of all observations is new: with one task after every 8 to 16
// of them; with many tasks, whose observations mostly concern other tasks, equally often per task.
constexpr size_t kRefitShare = 8;
constexpr size_t kRefitAtLeast = 8;
constexpr size_t kRefitAtMostPerTask = 16;

// Hints need a separate fit for each task, to the rows of the others. Refitting at a share of new
// observations makes the number of fits logarithmic in the number of observations.
constexpr size_t kForeignAtLeast = 12;
constexpr size_t kForeignShare = 4;
constexpr size_t kMostHinted = 20'000;  // points of a space whose hints are cached at each fit
constexpr size_t kMostSamples = 384;    // of all other tasks
constexpr size_t kFewestSamplesOfATask = 16;
constexpr double kFarthest = 1.5;  // logarithms behind a task's best; worse values are clamped
constexpr double kNever = 1e9;

/// Returns the columns that are not constant. Constant ones carry no information, and omitting them
/// keeps a matrix of every template's knobs and every device's facts small.
std::vector<size_t> varying_columns(const FeatureMatrix& matrix) {
  std::vector<size_t> varying;
  for (size_t c = 0; c < matrix.columns(); ++c) {
    const float first = matrix.row(0)[c];
    for (size_t r = 1; r < matrix.rows(); ++r) {
      const float value = matrix.row(r)[c];
      if (value == first || (std::isnan(value) && std::isnan(first))) continue;
      varying.push_back(c);
      break;
    }
  }
  return varying;
}

}  // namespace

size_t SharedModel::add_task(const SearchProblem& problem) {
  tasks_.push_back(
      {.rows = std::make_unique<TaskRows>(problem, columns_),
       .moves = std::make_unique<KnobMoves>(*problem.space, problem.default_point, problem.starts),
       .space_size = problem.space->size(),
       .points = {},
       .cycles = {}});
  return tasks_.size() - 1;
}

void SharedModel::observe(size_t task, const Observation& observation) {
  const std::optional<double> cycles = observation.cycles();
  if (observation.outcome == Outcome::kOk && !cycles) return;
  tasks_.at(task).points.push_back(observation.point);
  tasks_[task].cycles.push_back(cycles.value_or(0));
  ++observed_;
}

// Returns indices into `points`, spread evenly over the task's history: the bad candidates of its
// beginning are as informative as the good ones of its end.
std::vector<size_t> SharedModel::Task::sampled(size_t most) const {
  const size_t count = std::min(points.size(), most);
  std::vector<size_t> chosen(count);
  for (size_t i = 0; i < count; ++i) chosen[i] = (i + 1) * points.size() / count - 1;
  return chosen;
}

// A failure ranks below everything that ran.
std::vector<float> SharedModel::Task::merits(std::span<const size_t> chosen) const {
  const double worst = *std::max_element(cycles.begin(), cycles.end());
  std::vector<float> merits;
  for (size_t i : chosen) {
    const double counted = cycles[i] > 0 ? cycles[i] : 2 * worst + 1;
    merits.push_back(static_cast<float>(-std::log(std::max(1.0, counted))));
  }
  return merits;
}

std::optional<SharedModel::Fit> SharedModel::fit() {
  const auto taught = [&](size_t t) { return !tasks_[t].points.empty(); };
  size_t heard = 0;
  for (size_t t = 0; t < tasks_.size(); ++t) heard += taught(t) ? 1 : 0;
  const size_t most = std::max(kFewestRowsOfATask, kMostRows / std::max<size_t>(1, heard));
  std::vector<std::vector<size_t>> points(tasks_.size());
  std::vector<float> merits;
  std::vector<RankedGroup> groups;
  for (size_t t = 0; t < tasks_.size(); ++t) {
    const Task& task = tasks_[t];
    if (!taught(t)) continue;
    const std::vector<size_t> places = task.sampled(most);
    for (size_t place : places) points[t].push_back(task.points[place]);
    const std::vector<float> of_task = task.merits(places);
    merits.insert(merits.end(), of_task.begin(), of_task.end());
    groups.push_back({places.size()});
    task.rows->describe(points[t]);  // adds columns, so before columns_.size() is used
  }
  const auto matrix_of = [&](std::span<const size_t> columns) {
    FeatureMatrix matrix(columns.size());
    matrix.reserve(merits.size());
    for (size_t t = 0; t < tasks_.size(); ++t) tasks_[t].rows->add_to(matrix, points[t], columns);
    return matrix;
  };
  std::vector<size_t> every(columns_.size());
  std::iota(every.begin(), every.end(), size_t{0});
  std::vector<size_t> kept = varying_columns(matrix_of(every));
  if (kept.empty()) return std::nullopt;  // equal rows cannot be ranked
  RankerOptions options;
  options.seed = seed_;
  auto ranker = Ranker::train(matrix_of(kept), merits, groups, options);
  TT_CHECK(ranker.has_value(), ranker.has_value() ? "" : ranker.error().message());
  return Fit{std::move(ranker).value(), std::move(kept)};
}

std::vector<float> SharedModel::scores(const Fit& fit, size_t task,
                                       std::span<const size_t> points) {
  FeatureMatrix matrix(fit.kept.size());
  matrix.reserve(points.size());
  tasks_.at(task).rows->add_to(matrix, points, fit.kept);
  auto scores = fit.ranker.scores(matrix);
  TT_CHECK(scores.has_value(), scores.has_value() ? "" : scores.error().message());
  return std::move(scores).value();
}

std::vector<float> SharedModel::scores(size_t task, std::span<const size_t> points) {
  const size_t wait = std::clamp(fitted_ / kRefitShare, kRefitAtLeast,
                                 kRefitAtMostPerTask * std::max<size_t>(1, tasks_.size()));
  if (observed_ > 0 && (fitted_ == 0 || observed_ >= fitted_ + wait)) {
    fitted_ = observed_;
    fit_ = fit();
  }
  if (!fit_) return std::vector<float>(points.size(), 0);
  return scores(*fit_, task, points);
}

// Selects at most `most` samples: half are the fastest, which show the good region; half are spread
// evenly over the history, which show how much better that region is.
std::vector<MoveSample> SharedModel::Task::samples(size_t task, size_t most) const {
  std::vector<size_t> places(points.size());
  std::iota(places.begin(), places.end(), size_t{0});
  const auto counted = [&](size_t i) { return cycles[i] > 0 ? std::log(cycles[i]) : kNever; };
  if (places.size() > most) {
    std::stable_sort(places.begin(), places.end(),
                     [&](size_t a, size_t b) { return counted(a) < counted(b); });
    places.resize(most / 2);
    const std::vector<size_t> evenly = sampled(most - most / 2);
    places.insert(places.end(), evenly.begin(), evenly.end());
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
  }
  double best = kNever;
  for (const size_t i : places) best = std::min(best, counted(i));
  if (best >= kNever) return {};
  std::vector<MoveSample> samples;
  for (const size_t i : places)
    samples.push_back({task, points[i], std::min(counted(i), best + kFarthest)});
  return samples;
}

void SharedModel::refit_foreign(size_t task) {
  Foreign& foreign = tasks_[task].foreign;
  foreign.fitted = observed_ - tasks_[task].points.size();
  foreign.of_space.clear();
  size_t heard = 0;
  for (size_t t = 0; t < tasks_.size(); ++t) heard += t != task && !tasks_[t].points.empty();
  const size_t most = std::max(kFewestSamplesOfATask, kMostSamples / std::max<size_t>(1, heard));
  std::vector<const KnobMoves*> moves;
  std::vector<MoveSample> samples;
  for (size_t t = 0; t < tasks_.size(); ++t) {
    moves.push_back(tasks_[t].moves.get());
    if (t == task) continue;
    const std::vector<MoveSample> of_task = tasks_[t].samples(t, most);
    samples.insert(samples.end(), of_task.begin(), of_task.end());
  }
  foreign.fit.fit(std::move(moves), samples);
  if (tasks_[task].space_size > kMostHinted) return;
  std::vector<size_t> every(tasks_[task].space_size);
  std::iota(every.begin(), every.end(), size_t{0});
  foreign.of_space = foreign.fit.promises(*tasks_[task].moves, every);
}

SharedModel::Foreign& SharedModel::foreign(size_t task) {
  Foreign& foreign = tasks_.at(task).foreign;
  const size_t others = observed_ - tasks_[task].points.size();
  if (others >= std::max(kForeignAtLeast, foreign.fitted + foreign.fitted / kForeignShare))
    refit_foreign(task);
  return foreign;
}

std::vector<float> SharedModel::hints(size_t task, std::span<const size_t> points) {
  const Foreign& of_others = foreign(task);
  if (of_others.of_space.empty()) return of_others.fit.promises(*tasks_[task].moves, points);
  std::vector<float> hints;
  for (const size_t point : points) hints.push_back(of_others.of_space[point]);
  return hints;
}

}  // namespace tinytune
