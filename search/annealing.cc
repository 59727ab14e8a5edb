// Simulated annealing on the ranking model, with AutoTVM's settings.
//
// Walkers step from point to point, one knob at a time; the probability of a step to a lower score
// falls with the temperature. The best points that they visit form the next batch, after which the
// model is refitted. AutoTVM plans 64 trials at a time, the first 64 at random.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "search/guided_search.h"
#include "search/neighbours.h"
#include "search/strategies.h"

namespace tinytune {
namespace {

constexpr size_t kPlan = 64;
constexpr size_t kWalkers = 128;
constexpr int kSteps = 500, kStepsWithoutNews = 50;
constexpr double kRandomShare = 0.05;

class Annealing : public GuidedSearch {
 public:
  explicit Annealing(SearchProblem problem)
      : GuidedSearch(std::move(problem), "annealing search") {}

 private:
  size_t choose() override {
    if (observed_ >= planned_at_ + kPlan) plan();
    if (rng_.uniform() < kRandomShare) return unseen_.draw(rng_);
    while (!plan_.empty()) {
      const size_t point = plan_.back();
      plan_.pop_back();
      if (unseen_.contains(point)) return point;
    }
    return unseen_.draw(rng_);
  }

  // Scores the whole space before the first step: spaces are small, and in a large one walkers
  // rarely visit a point twice.
  void plan() {
    planned_at_ = observed_;
    std::vector<size_t> all(space_.size());
    std::iota(all.begin(), all.end(), size_t{0});
    const std::vector<float> scores = model_->scores(task_, all);
    std::vector<bool> visited(space_.size(), false);
    std::vector<size_t> walkers;
    for (size_t w = 0; w < kWalkers; ++w) walkers.push_back(rng_.below(space_.size()));
    float best = -1e30f;
    int stale = 0;
    for (int step = 0; step < kSteps && stale < kStepsWithoutNews; ++step, ++stale) {
      const double temperature = 1 - static_cast<double>(step) / kSteps;
      for (size_t& at : walkers) {
        const auto around = one_knob_away(space_, at);
        if (around.empty()) continue;
        const size_t next = around[rng_.below(around.size())];
        const double gain = scores[next] - scores[at];
        if (gain >= 0 || rng_.uniform() < std::exp(gain / (temperature + 1e-5))) at = next;
        visited[at] = true;
        if (unseen_.contains(at) && scores[at] > best) best = scores[at], stale = 0;
      }
    }
    plan_.clear();
    for (const size_t point : all)
      if (visited[point] && unseen_.contains(point)) plan_.push_back(point);
    std::stable_sort(plan_.begin(), plan_.end(),
                     [&](size_t a, size_t b) { return scores[a] < scores[b]; });
    if (plan_.size() > kPlan) plan_.erase(plan_.begin(), plan_.end() - kPlan);
  }

  std::vector<size_t> plan_;  ///< the best last
  size_t planned_at_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_annealing(SearchProblem problem) {
  return std::make_unique<Annealing>(std::move(problem));
}

}  // namespace tinytune
