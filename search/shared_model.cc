#include "search/shared_model.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.h"

namespace tinytune {
namespace {

// A fit takes a time that grows with its rows, and a run of N trials has some log N fits; with at
// most this many rows one stays near 200 ms (bench/search).
constexpr size_t kMostRows = 2048;
constexpr size_t kFewestRowsOfATask = 64;

// Refitted after a share of all observations is new. With one task that is every 8 to 16 of them;
// with many, whose news mostly concern others, as often for each.
constexpr size_t kRefitShare = 8;
constexpr size_t kRefitAtLeast = 8;
constexpr size_t kRefitAtMostPerTask = 16;

/// Columns that say the same in every row teach nothing; leaving them out is what makes a matrix of
/// every template's knobs and every device's facts cheap.
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
  tasks_.push_back({std::make_unique<TaskRows>(problem, columns_), {}, {}});
  return tasks_.size() - 1;
}

void SharedModel::observe(size_t task, const Observation& observation) {
  const std::optional<double> cycles = observation.cycles();
  if (observation.outcome == Outcome::kOk && !cycles) return;
  tasks_.at(task).points.push_back(observation.point);
  tasks_[task].cycles.push_back(cycles.value_or(0));
  ++observed_;
}

// Places in `points`, spread evenly over the task's whole history: the bad candidates of its
// beginning say what to avoid as the good ones of its end say what to prefer.
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

void SharedModel::refit() {
  fitted_ = observed_;
  ranker_.reset();
  const auto heard = std::count_if(tasks_.begin(), tasks_.end(),
                                   [](const Task& task) { return !task.points.empty(); });
  const size_t most = std::max(kFewestRowsOfATask, kMostRows / static_cast<size_t>(heard));
  std::vector<std::vector<size_t>> points;  // of each task
  std::vector<float> merits;
  std::vector<RankedGroup> groups;
  for (const Task& task : tasks_) {
    points.emplace_back();
    if (task.points.empty()) continue;
    const std::vector<size_t> places = task.sampled(most);
    for (size_t place : places) points.back().push_back(task.points[place]);
    const std::vector<float> of_task = task.merits(places);
    merits.insert(merits.end(), of_task.begin(), of_task.end());
    groups.push_back({places.size()});
    task.rows->describe(points.back());  // all, before the columns are counted
  }
  const auto matrix_of = [&](std::span<const size_t> columns) {
    FeatureMatrix matrix(columns.size());
    matrix.reserve(merits.size());
    for (size_t t = 0; t < tasks_.size(); ++t) tasks_[t].rows->add_to(matrix, points[t], columns);
    return matrix;
  };
  std::vector<size_t> every(columns_.size());
  std::iota(every.begin(), every.end(), size_t{0});
  kept_ = varying_columns(matrix_of(every));
  if (kept_.empty()) return;  // rows that are all alike have no order
  RankerOptions options;
  options.seed = seed_;
  auto ranker = Ranker::train(matrix_of(kept_), merits, groups, options);
  TT_CHECK(ranker.has_value(), ranker.has_value() ? "" : ranker.error().message());
  ranker_ = std::move(ranker).value();
}

std::vector<float> SharedModel::scores(size_t task, std::span<const size_t> points) {
  const size_t wait = std::clamp(fitted_ / kRefitShare, kRefitAtLeast,
                                 kRefitAtMostPerTask * std::max<size_t>(1, tasks_.size()));
  if (observed_ > 0 && (fitted_ == 0 || observed_ >= fitted_ + wait)) refit();
  if (!ranker_) return std::vector<float>(points.size(), 0);
  FeatureMatrix matrix(kept_.size());
  matrix.reserve(points.size());
  tasks_.at(task).rows->add_to(matrix, points, kept_);
  auto scores = ranker_->scores(matrix);
  TT_CHECK(scores.has_value(), scores.has_value() ? "" : scores.error().message());
  return std::move(scores).value();
}

}  // namespace tinytune
