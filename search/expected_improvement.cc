// Search by expected improvement, by a Gaussian process of the task's own trials with hints from
// other tasks.
//
// There are no batches. Each proposal uses all outcomes known by then, and assumes the predicted
// mean for those still outstanding, so that the proposals of a window differ without an extra
// rule. Families compete: one that is far behind is tried only now and then, because its kernels
// are also slow to build.

#include <algorithm>
#include <cmath>
#include <vector>

#include "cost_model/features.h"
#include "cost_model/knob_gp.h"
#include "cost_model/transfer_gp.h"
#include "search/guided_search.h"
#include "search/neighbours.h"
#include "search/strategies.h"

namespace tinytune {
namespace {

// Chosen on the tuning half of bench/spaces' tables.
constexpr size_t kMostKnown = 64;      // samples; a fit's time grows with the cube of their number
constexpr size_t kMostScored = 3'000;  // points; of a larger space the region of the best is scored
constexpr size_t kSample = 1'500;      // random points that are scored with it
constexpr size_t kCentres = 8;         // best points whose neighbours form that region
constexpr size_t kLearnShare = 8;      // share of new trials before the hyperparameters are learned
constexpr size_t kFewestRanked = 8;    // own trials before the ranking model is used
constexpr size_t kRanksEvery = 4, kRanksBlindlyEvery = 8;  // proposals by the ranking model
constexpr size_t kLooksBackEvery = 16;  // of these, including families that are behind
constexpr size_t kWalksEvery = 2, kWalksBlindlyEvery = 4;  // "blindly": there is no default point
constexpr double kFarthest = 1.5;      // logarithms behind the best; worse values are clamped
constexpr double kWorthATrial = 1e-3;  // improvement, in logarithms; below it half are random
constexpr size_t kQuiet = 16;          // trials without such an improvement before a task is done
constexpr double kBehind = 0.1;        // logarithms behind the best; such families are excluded
constexpr double kUntried = 0.3;  // additional allowance after one trial, half of it after two, …
constexpr int kMostDraws = 64;    // attempts to draw a point of a family that is not behind

// Use of the hints from other tasks.
constexpr double kHearsay = 16;  // own trials that halve the weight of hints
constexpr double kWorthAPromise =
    0.005;                       // logarithms below the default; a smaller gain is not tried first
constexpr double kWarned = 0.1;  // logarithms behind the default; such starts are not tried

double expected_improvement(const KnobGuess& guess, double best) {
  if (guess.deviation <= 0) return std::max(0.0, best - guess.mean);
  const double z = (best - guess.mean) / guess.deviation;
  const double density = std::exp(-0.5 * z * z) / std::sqrt(2 * 3.141592653589793);
  const double share = 0.5 * std::erfc(-z / std::sqrt(2.0));
  return guess.deviation * (z * share + density);
}

class ExpectedImprovement : public GuidedSearch {
 public:
  explicit ExpectedImprovement(SearchProblem problem)
      : GuidedSearch(std::move(problem), "bayes search"),
        process_(space_),
        moves_(space_, problem_.default_point, problem_.starts),
        best_of_family_(space_.family_count(), kFailed),
        trials_of_family_(space_.family_count(), 0) {}

  bool is_done() const override {
    return expected_ < kWorthATrial && known_.size() >= gained_at_ + kQuiet;
  }

 private:
  static constexpr double kFailed = 1e9;
  enum class Families { kInTheRace, kAll };
  struct Known {
    size_t point;
    double log_cycles;
  };

  void proposed(size_t point) override { out_.push_back(point); }

  void learn(const Observation& observation) override {
    std::erase(out_, observation.point);
    GuidedSearch::learn(observation);
    const auto cycles = observation.cycles();
    if (observation.outcome == Outcome::kOk && !cycles) return;
    known_.push_back({observation.point, cycles ? std::log(*cycles) : kFailed});
    if (known_.back().log_cycles < best_ - kWorthATrial) gained_at_ = known_.size();
    best_ = std::min(best_, known_.back().log_cycles);
    ++trials_of_family_[space_.family_of(observation.point)];
    double& of_family = best_of_family_[space_.family_of(observation.point)];
    of_family = std::min(of_family, known_.back().log_cycles);
  }

  size_t choose() override {
    if (const auto first = first_proposal()) return *first;
    const size_t turn = proposed_++;
    const bool blindly = !problem_.default_point;
    const size_t ranks_every = blindly ? kRanksBlindlyEvery : kRanksEvery;
    if (turn % ranks_every == ranks_every - 1 && known_.size() >= kFewestRanked)
      return ranked_best(turn % kLooksBackEvery == kLooksBackEvery - 1 ? Families::kAll
                                                                       : Families::kInTheRace);
    learn();
    std::vector<size_t> looked_at;
    if (turn % (blindly ? kWalksBlindlyEvery : kWalksEvery) == 0) looked_at = unseen_around_best();
    const bool everywhere = looked_at.empty();
    if (everywhere) looked_at = candidates(Families::kInTheRace);
    const std::vector<KnobSample> points = hinted(looked_at);
    const std::vector<KnobGuess> guesses = process_.guess(points);
    size_t chosen = 0;
    double most = -1;
    for (size_t i = 0; i < points.size(); ++i) {
      const double expected = expected_improvement(guesses[i], best_);
      if (expected > most) most = expected, chosen = i;
    }
    if (everywhere) expected_ = most;
    if (most < kWorthATrial && rng_.uniform() < 0.5) return draw(Families::kInTheRace);
    return points[chosen].point;
  }

  // Returns the next of the first proposals after the default: proven points, the best point by the
  // hints of other tasks, then starts that these do not predict to be slow. Until a kernel has run,
  // further hinted points and neighbours of the default.
  std::optional<size_t> first_proposal() {
    for (const size_t point : problem_.proven)
      if (unseen_.contains(point)) return point;
    const auto promised = !promised_ || best_ >= kFailed ? promise() : std::nullopt;
    if (promised) {
      promised_ = true;
      return promised;
    }
    if (const auto start = next_start()) return start;
    if (best_ < kFailed) return std::nullopt;
    return near_a_start();
  }

  // Returns a start of a family that has no result yet, else a further one of a family not behind.
  std::optional<size_t> next_start() {
    std::optional<size_t> second;
    for (const size_t point : problem_.starts) {
      if (!unseen_.contains(point) || hinted({point}).front().hint <= -kWarned) continue;
      const size_t family = space_.family_of(point);
      const bool is_first = best_of_family_[family] >= kFailed && !is_out(family);
      if (is_first) return point;
      if (!second && best_of_family_[family] < best_ + kWarned) second = point;
    }
    return second;
  }

  bool is_out(size_t family) const {
    return std::any_of(out_.begin(), out_.end(),
                       [&](size_t point) { return space_.family_of(point) == family; });
  }

  /// Returns the best point by the hints of other tasks, if it is predicted to beat the default.
  std::optional<size_t> promise() {
    std::optional<size_t> chosen;
    double least = -kWorthAPromise;
    for (const KnobSample& sample : hinted(candidates(Families::kAll))) {
      const double expected = KnobGp::before(sample);
      if (expected < least) least = expected, chosen = sample.point;
    }
    return chosen;
  }

  // Nothing has run yet, so only the default is known to be sensible: returns its neighbour with
  // the fewest instructions by the rule of thumb.
  size_t near_a_start() {
    if (!problem_.default_point) return unseen_.draw(rng_);
    std::optional<size_t> chosen;
    double least = 0;
    for (const size_t point : one_knob_away(space_, *problem_.default_point)) {
      if (!unseen_.contains(point)) continue;
      const double instructions = rule_of_thumb(problem_.describe(point));
      if (!chosen || instructions < least) chosen = point, least = instructions;
    }
    return chosen ? *chosen : unseen_.draw(rng_);
  }

  // Returns the best candidate by the ranking model, whose loop-nest features tell more than knobs
  // once there are enough trials to learn from.
  size_t ranked_best(Families of) {
    const std::vector<size_t> points = candidates(of);
    const std::vector<float> scores = model_->scores(task_, points);
    return points[static_cast<size_t>(std::max_element(scores.begin(), scores.end()) -
                                      scores.begin())];
  }

  // Returns the unseen neighbours of the best point. A change of one knob gains about the same in
  // most places, and such local steps make progress even if the model is wrong.
  std::vector<size_t> unseen_around_best() const {
    std::vector<size_t> around = one_knob_away(space_, known_.front().point);
    std::erase_if(around, [&](size_t point) { return !unseen_.contains(point); });
    return around;
  }

  void learn() {
    const bool much_is_new = known_.size() > learned_at_ + learned_at_ / kLearnShare;
    if (much_is_new) learned_at_ = known_.size();
    process_.fit(samples(), much_is_new);
    for (const KnobSample& out : hinted(out_)) process_.assume(out);
  }

  // Returns the fastest kMostKnown trials as samples; sorts known_.
  std::vector<KnobSample> samples() {
    std::stable_sort(known_.begin(), known_.end(),
                     [](const Known& a, const Known& b) { return a.log_cycles < b.log_cycles; });
    std::vector<size_t> points;
    for (size_t i = 0; i < std::min(kMostKnown, known_.size()); ++i)
      points.push_back(known_[i].point);
    std::vector<KnobSample> samples = hinted(points);
    for (size_t i = 0; i < samples.size(); ++i)
      samples[i].value = std::min(known_[i].log_cycles, best_ + kFarthest);
    return samples;
  }

  std::vector<KnobSample> hinted(const std::vector<size_t>& points) {
    const std::vector<float> hints = model_->hints(task_, points);
    std::vector<KnobSample> samples;
    const double believed = kHearsay / (kHearsay + static_cast<double>(known_.size()));
    for (size_t i = 0; i < points.size(); ++i)
      samples.push_back({points[i], 0, believed * hints[i], moves_.count(points[i])});
    return samples;
  }

  // Returns whether the point's family is too slow to be tried further. A start shows little of a
  // family's potential, so a family gets a few trials to catch up. Untried families are not behind;
  // without a default none is, because the trials were then chosen at random.
  bool is_behind(size_t point) const {
    const size_t family = space_.family_of(point);
    if (!problem_.default_point || best_of_family_[family] >= kFailed) return false;
    const double tried = static_cast<double>(trials_of_family_[family]);
    return best_of_family_[family] > best_ + kBehind + kUntried / tried;
  }

  bool is_among(Families families, size_t point) const {
    return families == Families::kAll || !is_behind(point);
  }

  // Draws a random point of `of`. In a large space such points may be rare: after kMostDraws
  // attempts it returns any point.
  size_t draw(Families of) {
    size_t point = unseen_.draw(rng_);
    for (int i = 1; i < kMostDraws && !is_among(of, point); ++i) point = unseen_.draw(rng_);
    return point;
  }

  // Never empty: if only families that are behind are left, it returns their points.
  std::vector<size_t> candidates(Families of) {
    std::vector<size_t> points;
    if (unseen_.size() <= kMostScored) {
      for (size_t p = 0; p < space_.size(); ++p)
        if (unseen_.contains(p)) points.push_back(p);
    } else {
      for (size_t i = 0; i < kSample; ++i) points.push_back(draw(of));
      for (size_t i = 0; i < std::min(kCentres, known_.size()); ++i)  // sorted by samples()
        for (const size_t point : one_knob_away(space_, known_[i].point))
          if (unseen_.contains(point)) points.push_back(point);
      std::sort(points.begin(), points.end());
      points.erase(std::unique(points.begin(), points.end()), points.end());
    }
    const auto in_the_race = std::stable_partition(
        points.begin(), points.end(), [&](size_t point) { return is_among(of, point); });
    if (in_the_race != points.begin()) points.erase(in_the_race, points.end());
    return points;
  }

  KnobGp process_;
  KnobMoves moves_;
  std::vector<Known> known_;  ///< trials; sorted by samples(), fastest first
  std::vector<size_t> out_;   ///< proposed points without an outcome
  double best_ = kFailed;
  std::vector<double> best_of_family_;
  std::vector<size_t> trials_of_family_;
  bool promised_ = false;      ///< whether promise() has made a proposal
  size_t proposed_ = 0;        ///< proposals after the first ones
  size_t learned_at_ = 0;      ///< trials known when the hyperparameters were last learned
  size_t gained_at_ = 0;       ///< trials known when the best last improved
  double expected_ = kFailed;  ///< largest expected improvement of all points
};

}  // namespace

std::unique_ptr<Strategy> make_expected_improvement(SearchProblem problem) {
  return std::make_unique<ExpectedImprovement>(std::move(problem));
}

}  // namespace tinytune
