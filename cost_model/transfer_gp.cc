#include "cost_model/transfer_gp.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <set>

#include "schedules/knob_size.h"

namespace tinytune {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Move = KnobMoves::Move;

// Chosen on the tuning half of bench/spaces' tables; half or twice of any changes little.
constexpr double kOfLevel = 4;        // variance of a task's level, independent of other tasks'
constexpr double kOfTemplate = 0.3;   // variance between templates
constexpr double kOfMove = 0.04;      // variance of a doubling, or of a word
constexpr double kElsewhere = 0.5;    // share of that covariance between different templates
constexpr double kTogether = 0.1;     // variance of a combination of moves
constexpr double kOwn = 0.01;         // variance specific to a point
constexpr double kMostDoublings = 2;  // larger moves covary no more than this

Move move_between(const std::string& from, const std::string& to) {
  Move move{from != to, std::nullopt, to};
  const auto a = knob_size(from), b = knob_size(to);
  if (a && b) move.doublings = *b - *a;
  return move;
}

/// Returns the covariance of two moves' gains, up to a factor: 0 if either knob is not moved.
double alike(const Move& a, const Move& b) {
  if (!a.moved || !b.moved) return 0;
  if (!a.doublings || !b.doublings) return a.word == b.word ? 1 : 0;
  if (*a.doublings * *b.doublings <= 0) return 0;
  return std::min({std::abs(*a.doublings), std::abs(*b.doublings), kMostDoublings});
}

double apart(const Move& a, const Move& b) {
  if (a.doublings && b.doublings) return std::min(1.0, std::abs(*a.doublings - *b.doublings));
  const bool same = a.moved == b.moved && (!a.moved || a.word == b.word);
  return same ? 0 : 1;
}

/// Covariance terms of a sample with every value of a family's knobs, precomputed: a large space
/// has millions of pairs.
class Against {
 public:
  Against(const KnobMoves& left, size_t point, const KnobMoves& right, size_t family) {
    const size_t own = left.space().family_of(point);
    const ConfigSpace::Family &a = left.space().family(own), &b = right.space().family(family);
    same_template_ = a.template_name == b.template_name;
    const double share = kOfMove * (same_template_ ? 1 : kElsewhere);
    const ConfigSpace::Coordinates& at = left.space().coordinates(point);
    for (size_t k = 0; k < b.knobs.size(); ++k) {
      begins_.push_back(sums_.size());
      const auto named = std::find_if(a.knobs.begin(), a.knobs.end(), [&](const Knob& knob) {
        return knob.name == b.knobs[k].name;
      });
      const auto mine = static_cast<size_t>(named - a.knobs.begin());
      for (size_t v = 0; v < b.knobs[k].values.size(); ++v) {
        if (named == a.knobs.end()) {
          sums_.push_back(0), factors_.push_back(1);
          continue;
        }
        const Move &left_move = left.move(own, mine, at[mine]), &move = right.move(family, k, v);
        sums_.push_back(share * alike(left_move, move));
        factors_.push_back(std::exp(-apart(left_move, move)));
      }
    }
  }

  double alike_to(const ConfigSpace::Coordinates& at) const {
    double sum = same_template_ ? kOfTemplate : 0, together = kTogether;
    for (size_t k = 0; k < at.size(); ++k) {
      sum += sums_[begins_[k] + at[k]];
      together *= factors_[begins_[k] + at[k]];
    }
    return same_template_ ? sum + together : sum;
  }

 private:
  bool same_template_ = false;
  std::vector<size_t> begins_;  ///< by knob: offset into sums_ and factors_
  std::vector<double> sums_, factors_;
};

}  // namespace

KnobMoves::KnobMoves(const ConfigSpace& space, std::optional<size_t> default_point,
                     std::span<const size_t> starts)
    : space_(&space), default_point_(default_point), starts_(space.family_count()) {
  for (const size_t point : starts) {
    auto& start = starts_[space.family_of(point)];
    if (!start) start = point;
  }
  if (default_point && *default_point < space.size())
    starts_[space.family_of(*default_point)] = default_point;
  for (size_t f = 0; f < space.family_count(); ++f) {
    moves_.emplace_back();
    const std::vector<Knob>& knobs = space.family(f).knobs;
    for (size_t k = 0; k < knobs.size(); ++k) {
      moves_.back().emplace_back();
      for (const std::string& value : knobs[k].values) {
        const auto& start = starts_[f];
        moves_.back().back().push_back(
            move_between(start ? knobs[k].values[space.coordinates(*start)[k]] : value, value));
      }
    }
  }
}

double KnobMoves::count(size_t point) const {
  const size_t family = space_->family_of(point);
  const ConfigSpace::Coordinates& at = space_->coordinates(point);
  double moved = 0;
  for (size_t k = 0; k < at.size(); ++k) moved += moves_[family][k][at[k]].moved ? 1 : 0;
  return moved;
}

struct TransferGp::State {
  std::vector<const KnobMoves*> tasks;
  std::vector<MoveSample> known;
  Vector weights;
  std::set<std::string> templates;

  /// Calls `take` with the indices of every pair of a sample and a point, and with their covariance
  /// without the term of the tasks' levels.
  template <typename Take>
  void compare(const KnobMoves& task, std::span<const size_t> points, const Take& take) const {
    const ConfigSpace& space = task.space();
    for (size_t i = 0; i < known.size(); ++i) {
      std::vector<Against> against;
      for (size_t f = 0; f < space.family_count(); ++f)
        against.emplace_back(*tasks[known[i].task], known[i].point, task, f);
      for (size_t j = 0; j < points.size(); ++j)
        take(i, j, against[space.family_of(points[j])].alike_to(space.coordinates(points[j])));
    }
  }

  /// Returns the posterior means relative to a level that all points of the task share.
  std::vector<double> expected(const KnobMoves& task, std::span<const size_t> points) const {
    std::vector<double> sums(points.size(), 0);
    compare(task, points, [&](size_t i, size_t j, double alike) {
      sums[j] += weights[static_cast<long>(i)] * alike;
    });
    return sums;
  }
};

TransferGp::TransferGp() : state_(std::make_unique<State>()) {}
TransferGp::~TransferGp() = default;
TransferGp::TransferGp(TransferGp&&) noexcept = default;
TransferGp& TransferGp::operator=(TransferGp&&) noexcept = default;

void TransferGp::fit(std::vector<const KnobMoves*> tasks, std::span<const MoveSample> samples) {
  State& s = *state_;
  s.tasks = std::move(tasks);
  s.known.assign(samples.begin(), samples.end());
  s.templates.clear();
  std::vector<double> sums(s.tasks.size(), 0), counts(s.tasks.size(), 0);
  for (MoveSample& sample : s.known) {
    sample.value -= kCostOfAMove * s.tasks[sample.task]->count(sample.point);
    sums[sample.task] += sample.value, ++counts[sample.task];
    const ConfigSpace& space = s.tasks[sample.task]->space();
    s.templates.insert(space.family(space.family_of(sample.point)).template_name);
  }
  const auto count = static_cast<long>(s.known.size());
  Matrix matrix(count, count);
  for (size_t t = 0; t < s.tasks.size(); ++t) {
    std::vector<size_t> points, places;
    for (size_t i = 0; i < s.known.size(); ++i)
      if (s.known[i].task == t) points.push_back(s.known[i].point), places.push_back(i);
    s.compare(*s.tasks[t], points, [&](size_t i, size_t j, double alike) {
      const double of_level = s.known[i].task == t ? kOfLevel : 0;
      matrix(static_cast<long>(i), static_cast<long>(places[j])) = alike + of_level;
    });
  }
  matrix.diagonal().array() += kOwn;
  Vector rests(count);
  for (long i = 0; i < count; ++i) {
    const MoveSample& sample = s.known[static_cast<size_t>(i)];
    rests[i] = sample.value - sums[sample.task] / counts[sample.task];
  }
  s.weights = Eigen::LLT<Matrix>(matrix).solve(rests);
}

std::vector<float> TransferGp::promises(const KnobMoves& task,
                                        std::span<const size_t> points) const {
  const State& s = *state_;
  if (s.known.empty() || !task.default_point()) return std::vector<float>(points.size(), 0);
  const ConfigSpace& space = task.space();
  const auto expected_of = [&](size_t point) {
    return s.expected(task, std::span(&point, 1)).front();
  };
  const double of_default = expected_of(*task.default_point());
  std::vector<double> of_starts, behind;
  for (size_t f = 0; f < space.family_count(); ++f) {
    const bool known = task.start_of(f) && knows(space.family(f).template_name);
    of_starts.push_back(known ? expected_of(*task.start_of(f)) : 0);
    behind.push_back(known ? of_starts.back() - of_default : 0);
  }
  const std::vector<double> expected = s.expected(task, points);
  std::vector<float> promises;
  for (size_t i = 0; i < points.size(); ++i) {
    const size_t f = space.family_of(points[i]);
    promises.push_back(static_cast<float>(std::max(0.0, of_starts[f] - expected[i]) - behind[f]));
  }
  return promises;
}

bool TransferGp::knows(const std::string& template_name) const {
  return state_->templates.contains(template_name);
}

}  // namespace tinytune
