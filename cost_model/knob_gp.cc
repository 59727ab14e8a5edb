#include "cost_model/knob_gp.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <optional>

#include "base/check.h"
#include "cost_model/same_values.h"
#include "cost_model/transfer_gp.h"
#include "schedules/knob_size.h"

namespace tinytune {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

// Chosen on the tuning half of bench/spaces' tables.
constexpr double kRelevances[] = {0.01, 0.04, 0.12, 0.4};  // candidates of a knob's relevance
constexpr double kFirstRelevance = 0.08;
constexpr double kScales[] = {0.03, 0.1, 0.3, 1};  // overall variance, in squared logarithms
constexpr double kTogether = 0.5;                  // weight of the joint term of all knobs
constexpr double kSharpness = 12;    // of the joint term: times relevance gives a knob's decay rate
constexpr double kOfFamilies = 0.3;  // variance between families
constexpr double kOfLevel = 4;       // prior variance of the task's level
constexpr double kHintWeight = 0.8, kHintVariance = 0.15;
constexpr double kMoveVariance = 0.001;
// Variance specific to a point, unrelated to any other: compilers are not smooth. Untried points
// have it too, so it counts as uncertainty.
constexpr double kOwns[] = {0.0004, 0.0015, 0.005, 0.015};
constexpr size_t kFewestToLearn = 4;
constexpr double kJitter = 1e-6;  // keeps the matrix regular if equal points are given twice

/// Returns positions of a knob's values on a logarithmic axis; empty for words, which only differ.
std::vector<double> places_of(const Knob& knob) {
  std::vector<double> places;
  for (const std::string& value : knob.values) {
    const auto size = knob_size(value);
    if (!size) return {};
    places.push_back(*size);
  }
  return places;
}

/// Distances between all pairs of a knob's values, precomputed: a search needs millions of them.
struct KnobPairs {
  explicit KnobPairs(const Knob& knob) : count(knob.values.size()) {
    const std::vector<double> places = places_of(knob);
    for (size_t a = 0; a < count; ++a)
      for (size_t b = 0; b < count; ++b) {
        const double d = a == b ? 0 : places.empty() ? 1 : std::abs(places[a] - places[b]);
        apart.push_back(d);
        alike.push_back(std::exp(-d));
      }
  }
  size_t count;
  std::vector<double> apart, alike;  ///< indexed by a * count + b
};

}  // namespace

struct KnobGp::State {
  explicit State(const ConfigSpace& of) : space(of), same(of) {
    for (size_t f = 0; f < space.family_count(); ++f) {
      const std::vector<Knob>& knobs = space.family(f).knobs;
      pairs.emplace_back(knobs.begin(), knobs.end());
      relevance.emplace_back(knobs.size(), kFirstRelevance);
    }
  }

  double alike(const KnobSample& a, const KnobSample& b) const {
    double sum = kOfLevel + kHintVariance * a.hint * b.hint + kMoveVariance * a.moves * b.moves;
    const size_t family = space.family_of(a.point);
    if (family != space.family_of(b.point)) return sum;
    sum += kOfFamilies;
    const auto &left = space.coordinates(a.point), &right = space.coordinates(b.point);
    double apart = 0, each = 0, total = 1e-9;
    bool is_one = true;
    for (size_t k = 0; k < left.size(); ++k) {
      const KnobPairs& of_knob = pairs[family][k];
      const size_t x = same.first_like(family, k, left[k]);
      const size_t y = same.first_like(family, k, right[k]);
      is_one = is_one && x == y;
      const size_t pair = x * of_knob.count + y;
      each += relevance[family][k] * of_knob.alike[pair];
      apart += relevance[family][k] * of_knob.apart[pair];
      total += relevance[family][k];
    }
    return sum + (is_one ? own : 0) +
           scale * (each + kTogether * total * std::exp(-kSharpness * apart));
  }

  Matrix alike(std::span<const KnobSample> a, std::span<const KnobSample> b) const {
    Matrix matrix(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i)
      for (size_t j = 0; j < b.size(); ++j)
        matrix(static_cast<long>(i), static_cast<long>(j)) = alike(a[i], b[j]);
    return matrix;
  }

  double expected(const KnobSample& sample) const { return level + before(sample); }

  void factor() {
    Matrix matrix = alike(known, known);
    matrix.diagonal().array() += kJitter;
    factors.compute(matrix);
    Vector rests(known.size());
    for (size_t i = 0; i < known.size(); ++i)
      rests[static_cast<long>(i)] = known[i].value - expected(known[i]);
    weights = factors.solve(rests);
    likelihood = -0.5 * rests.dot(weights);
    for (long i = 0; i < matrix.rows(); ++i)
      likelihood -= std::log(std::max(1e-12, factors.matrixLLT()(i, i)));
  }

  /// Sets `number` to the one of `values`, or itself, that maximises the likelihood of the samples.
  template <size_t kCount>
  void choose(double& number, const double (&values)[kCount]) {
    const double before = number;
    double best = likelihood, chosen = before;
    for (const double value : values) {
      if (value == before) continue;
      number = value;
      factor();
      if (likelihood > best + 1e-9) best = likelihood, chosen = value;
    }
    number = chosen;
    factor();
  }

  /// Returns whether a knob differs among the samples; otherwise its relevance cannot be learned.
  bool varies(size_t family, size_t knob) const {
    std::optional<uint16_t> seen;
    for (const KnobSample& sample : known) {
      if (space.family_of(sample.point) != family) continue;
      const uint16_t at = space.coordinates(sample.point)[knob];
      if (seen && *seen != at) return true;
      seen = at;
    }
    return false;
  }

  const ConfigSpace& space;
  std::vector<std::vector<KnobPairs>> pairs;   ///< of each family's knobs
  std::vector<std::vector<double>> relevance;  ///< of each family's knobs
  SameValues same;
  double scale = 0.3, own = 0.005;
  double level = 0;
  std::vector<KnobSample> known;
  Eigen::LLT<Matrix> factors;
  Vector weights;
  double likelihood = 0;
};

KnobGp::KnobGp(const ConfigSpace& space) : state_(std::make_unique<State>(space)) {}
KnobGp::~KnobGp() = default;

double KnobGp::before(const KnobSample& sample) {
  return kCostOfAMove * sample.moves - kHintWeight * sample.hint;
}

void KnobGp::fit(std::span<const KnobSample> samples, bool learn) {
  State& s = *state_;
  s.known.assign(samples.begin(), samples.end());
  s.level = 0;
  for (const KnobSample& sample : samples) s.level += sample.value;
  s.level /= std::max<double>(1, static_cast<double>(samples.size()));
  s.same.find(samples);
  s.factor();
  if (!learn || samples.size() < kFewestToLearn) return;
  s.choose(s.scale, kScales);
  s.choose(s.own, kOwns);
  for (size_t f = 0; f < s.relevance.size(); ++f)
    for (size_t k = 0; k < s.relevance[f].size(); ++k)
      if (s.varies(f, k)) s.choose(s.relevance[f][k], kRelevances);
}

void KnobGp::assume(const KnobSample& sample) {
  KnobSample assumed = sample;
  assumed.value = guess(std::span(&sample, 1)).front().mean;
  state_->known.push_back(assumed);
  state_->factor();
}

std::vector<KnobGuess> KnobGp::guess(std::span<const KnobSample> points) const {
  const State& s = *state_;
  const Matrix across = s.alike(s.known, points);
  const Vector means = across.transpose() * s.weights;
  const Matrix solved = s.factors.matrixL().solve(across);
  std::vector<KnobGuess> guesses;
  for (size_t i = 0; i < points.size(); ++i) {
    const auto at = static_cast<long>(i);
    const double variance = s.alike(points[i], points[i]) - solved.col(at).squaredNorm() - kJitter;
    guesses.push_back({s.expected(points[i]) + means[at], std::sqrt(std::max(0.0, variance))});
  }
  return guesses;
}

}  // namespace tinytune
