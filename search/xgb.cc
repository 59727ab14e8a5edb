// Search guided by a ranking model that is refitted as outcomes arrive.
//
// Everything happens inside propose(), at fixed counts of observations, so the trajectory depends
// on the sequence of calls alone. Up to a window of proposals are out when a batch is chosen, and
// none of them has news for the next: a batch is therefore spread out, and a model's second best
// idea is rarely its best one with one knob moved.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.h"
#include "cost_model/ranker.h"
#include "search/candidates.h"
#include "search/strategies.h"
#include "search/unseen.h"

namespace tinytune {
namespace {

// Constants chosen on AutoTVM's measured tables and the synthetic landscapes together
// (bench/search).
constexpr size_t kFirstBatch = 8;    // spread out, before any model
constexpr size_t kRefitEvery = 8;    // observations, growing by the share below to at most
constexpr size_t kRefitAtMost = 16;  // this: a long earlier log must not make the search deaf
constexpr size_t kRefitShare = 8;
constexpr size_t kWholeSpace = 20000;  // score every point up to here, evolve candidates above
constexpr double kRandomShare = 0.05;  // uniform proposals, whatever the model thinks
constexpr size_t kShortlist = 256;     // the model's best, among which a batch is spread out
constexpr double kSpread = 0.5;        // penalty for nearness, in deviations of the shortlist

class XgbStrategy : public Strategy {
 public:
  explicit XgbStrategy(SearchProblem problem)
      : problem_(std::move(problem)),
        space_(*problem_.space),
        unseen_(space_.size()),
        rows_(problem_),
        rng_(Rng(problem_.seed).fork("xgb search")) {}

  std::optional<size_t> propose() override {
    if (unseen_.empty()) return std::nullopt;
    const size_t point = choose();
    unseen_.take(point);
    batch_.push_back(point);
    return point;
  }

  void observe(const Observation& observation) override {
    unseen_.take(observation.point);
    observed_.push_back(observation);
  }

 private:
  struct Scored {
    size_t point;
    double score;
  };

  size_t choose() {
    if (unseen_.contains(problem_.default_point)) return problem_.default_point;
    if (observed_.size() < kFirstBatch) return spread_out();
    const size_t wait = std::clamp(fitted_ / kRefitShare, kRefitEvery, kRefitAtMost);
    if (fitted_ == 0 || observed_.size() >= fitted_ + wait) refit();
    if (rng_.uniform() < kRandomShare) return unseen_.draw(rng_);
    return best_of_shortlist();
  }

  // Of a few random points, the one farthest from those already out.
  size_t spread_out() {
    size_t best = unseen_.draw(rng_);
    double farthest = -1;
    for (int i = 0; i < 8; ++i) {
      const size_t point = unseen_.draw(rng_);
      double nearest = 1;
      for (size_t other : batch_) nearest = std::min(nearest, knob_distance(space_, point, other));
      if (nearest > farthest) farthest = nearest, best = point;
    }
    return best;
  }

  size_t best_of_shortlist() {
    const Scored* best = nullptr;
    double best_score = 0;
    for (const Scored& candidate : shortlist_) {
      if (!unseen_.contains(candidate.point)) continue;
      double nearness = 0;
      for (size_t other : batch_)
        nearness = std::max(nearness, 1 - knob_distance(space_, candidate.point, other));
      const double score = candidate.score - kSpread * deviation_ * nearness;
      if (best == nullptr || score > best_score) best = &candidate, best_score = score;
    }
    return best == nullptr ? unseen_.draw(rng_) : best->point;
  }

  void refit() {
    fitted_ = observed_.size();
    batch_.clear();
    std::vector<size_t> points;
    std::vector<float> merit;
    double worst = 0;
    for (const Observation& o : observed_)
      if (o.outcome == Outcome::kOk) worst = std::max(worst, o.cycles);
    for (const Observation& o : observed_) {
      points.push_back(o.point);
      // A failure ranks below everything that ran.
      const double cycles = o.outcome == Outcome::kOk ? o.cycles : 2 * worst + 1;
      merit.push_back(static_cast<float>(-std::log(std::max(1.0, cycles))));
    }
    RankerOptions options;
    options.seed = problem_.seed;
    const RankedGroup all{points.size()};
    auto ranker = Ranker::train(rows_.rows(points), merit, {&all, 1}, options);
    TT_CHECK(ranker.has_value(), ranker.has_value() ? "" : ranker.error().message());
    shortlist_ = space_.size() <= kWholeSpace ? scored(*ranker, all_unseen()) : evolved(*ranker);
    const size_t keep = std::min(kShortlist, shortlist_.size());
    std::partial_sort(shortlist_.begin(), shortlist_.begin() + static_cast<long>(keep),
                      shortlist_.end(), better);
    shortlist_.resize(keep);
    deviation_ = deviation_of(shortlist_);
  }

  static bool better(const Scored& a, const Scored& b) {
    return a.score != b.score ? a.score > b.score : a.point < b.point;
  }

  static double deviation_of(const std::vector<Scored>& list) {
    double sum = 0, squares = 0;
    for (const Scored& s : list) sum += s.score, squares += s.score * s.score;
    const double n = std::max<double>(1, static_cast<double>(list.size()));
    return std::sqrt(std::max(0.0, squares / n - sum / n * (sum / n)));
  }

  std::vector<size_t> all_unseen() const {
    std::vector<size_t> points;
    for (size_t p = 0; p < space_.size(); ++p)
      if (unseen_.contains(p)) points.push_back(p);
    return points;
  }

  std::vector<Scored> scored(const Ranker& ranker, const std::vector<size_t>& points) {
    const auto scores = ranker.scores(rows_.rows(points));
    TT_CHECK(scores.has_value(), scores.has_value() ? "" : scores.error().message());
    std::vector<Scored> list;
    for (size_t i = 0; i < points.size(); ++i) list.push_back({points[i], (*scores)[i]});
    return list;
  }

  // A few generations from the best measured points and from random ones.
  std::vector<Scored> evolved(const Ranker& ranker) {
    constexpr size_t kRandom = 2048, kParents = 96, kChildren = 1024;
    constexpr int kGenerations = 4;
    std::vector<Observation> best;
    for (const Observation& o : observed_)
      if (o.outcome == Outcome::kOk) best.push_back(o);
    std::sort(best.begin(), best.end(), [](const Observation& a, const Observation& b) {
      return a.cycles != b.cycles ? a.cycles < b.cycles : a.point < b.point;
    });
    if (best.size() > 16) best.resize(16);
    std::vector<size_t> points;
    for (const Observation& o : best) {
      const std::vector<size_t> around = neighbours(space_, o.point);
      points.insert(points.end(), around.begin(), around.end());
      for (int i = 0; i < 16; ++i) points.push_back(mutated(space_, o.point, rng_));
    }
    for (size_t i = 0; i < kRandom; ++i) points.push_back(unseen_.draw(rng_));

    std::vector<Scored> pool;
    for (int generation = 0;; ++generation) {
      std::sort(points.begin(), points.end());
      points.erase(std::unique(points.begin(), points.end()), points.end());
      const std::vector<Scored> news = scored(ranker, points);
      pool.insert(pool.end(), news.begin(), news.end());
      std::sort(pool.begin(), pool.end(), better);
      pool.erase(std::unique(pool.begin(), pool.end(),
                             [](const Scored& a, const Scored& b) { return a.point == b.point; }),
                 pool.end());
      if (generation == kGenerations) break;
      const size_t parents = std::min(kParents, pool.size());
      points.clear();
      for (size_t i = 0; i < kChildren; ++i) {
        const size_t mother = pool[rng_.below(parents)].point;
        const size_t father = pool[rng_.below(parents)].point;
        points.push_back(i % 2 == 0 ? mutated(space_, mother, rng_)
                                    : crossed(space_, mother, father, rng_));
      }
    }
    std::erase_if(pool, [&](const Scored& s) { return !unseen_.contains(s.point); });
    return pool;
  }

  SearchProblem problem_;
  const ConfigSpace& space_;
  Unseen unseen_;
  CandidateRows rows_;
  Rng rng_;
  std::vector<Observation> observed_;
  std::vector<size_t> batch_;  ///< proposed since the last fit
  std::vector<Scored> shortlist_;
  double deviation_ = 0;
  size_t fitted_ = 0;  ///< observations at the last fit; 0 before the first
};

}  // namespace

std::unique_ptr<Strategy> make_xgb(SearchProblem problem) {
  return std::make_unique<XgbStrategy>(std::move(problem));
}

}  // namespace tinytune
