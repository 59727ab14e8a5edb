// Search guided by a ranking model that is refitted as outcomes arrive.
//
// Everything happens inside propose(), at fixed counts of observations, so the trajectory depends
// on the sequence of calls alone. Up to a window of proposals are chosen before any of them has an
// outcome, so a batch is spread out: a candidate near one already proposed is penalised, or the
// batch would consist of the model's best point with one knob changed at a time.

#include <algorithm>
#include <cmath>

#include "search/guided_search.h"
#include "search/knob_distance.h"
#include "search/strategies.h"

namespace tinytune {
namespace {

// Constants chosen on AutoTVM's measured tables and the synthetic landscapes together
// (bench/search).
constexpr size_t kFirstBatch = 8;      // spread-out trials, if the model knows no other task
constexpr size_t kOthersSuffice = 64;  // observations of other tasks that replace that batch
constexpr size_t kRescoreEvery = 8;    // least observations between scorings; grows by the share
constexpr size_t kRescoreAtMost = 16;  // below; limited, or a long earlier log would delay updates
constexpr size_t kRescoreShare = 8;
constexpr size_t kMostScored = 20'000;  // a larger space is sampled
constexpr size_t kSample = 4096;
constexpr double kRandomShare = 0.05;  // share of random proposals, independent of the model
constexpr size_t kShortlist = 256;     // best candidates by score, from which a batch is chosen
constexpr double kSpread = 0.5;        // penalty for nearness, in deviations of the shortlist

class XgbStrategy : public GuidedSearch {
 public:
  explicit XgbStrategy(SearchProblem problem) : GuidedSearch(std::move(problem), "xgb search") {}

 private:
  struct Scored {
    size_t point;
    double score;
  };

  void proposed(size_t point) override { batch_.push_back(point); }

  size_t choose() override {
    if (observed_ < kFirstBatch && model_->observed() < observed_ + kOthersSuffice)
      return spread_out();
    if (!scored_at_ || observed_ >= *scored_at_ + patience()) rescore();
    if (rng_.uniform() < kRandomShare) return unseen_.draw(rng_);
    return best_of_shortlist();
  }

  size_t patience() const {
    return std::clamp(*scored_at_ / kRescoreShare, kRescoreEvery, kRescoreAtMost);
  }

  // Returns the one of a few random points that is farthest from the points already proposed.
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

  void rescore() {
    scored_at_ = observed_;
    batch_.clear();
    const std::vector<size_t> points = candidates();
    const std::vector<float> scores = model_->scores(task_, points);
    shortlist_.clear();
    for (size_t i = 0; i < points.size(); ++i) shortlist_.push_back({points[i], scores[i]});
    const auto better = [](const Scored& a, const Scored& b) {
      return a.score != b.score ? a.score > b.score : a.point < b.point;
    };
    const size_t keep = std::min(kShortlist, shortlist_.size());
    std::partial_sort(shortlist_.begin(), shortlist_.begin() + static_cast<long>(keep),
                      shortlist_.end(), better);
    shortlist_.resize(keep);
    deviation_ = deviation_of(shortlist_);
  }

  std::vector<size_t> candidates() {
    std::vector<size_t> points;
    if (unseen_.size() > kMostScored) {
      for (size_t i = 0; i < kSample; ++i) points.push_back(unseen_.draw(rng_));
      std::sort(points.begin(), points.end());
      points.erase(std::unique(points.begin(), points.end()), points.end());
      return points;
    }
    for (size_t p = 0; p < space_.size(); ++p)
      if (unseen_.contains(p)) points.push_back(p);
    return points;
  }

  static double deviation_of(const std::vector<Scored>& list) {
    double sum = 0, squares = 0;
    for (const Scored& s : list) sum += s.score, squares += s.score * s.score;
    const double n = std::max<double>(1, static_cast<double>(list.size()));
    return std::sqrt(std::max(0.0, squares / n - sum / n * (sum / n)));
  }

  std::vector<size_t> batch_;  ///< proposed since the last scoring
  std::vector<Scored> shortlist_;
  double deviation_ = 0;
  std::optional<size_t> scored_at_;  ///< observations at the last scoring
};

}  // namespace

std::unique_ptr<Strategy> make_xgb(SearchProblem problem) {
  return std::make_unique<XgbStrategy>(std::move(problem));
}

}  // namespace tinytune
