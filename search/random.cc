#include "search/strategies.h"
#include "search/unseen.h"

namespace tinytune {
namespace {

class RandomStrategy : public Strategy {
 public:
  explicit RandomStrategy(const SearchProblem& problem)
      : unseen_(problem.space->size()),
        default_point_(problem.default_point),
        rng_(Rng(problem.seed).fork("random search")) {}

  std::optional<size_t> propose() override {
    if (unseen_.empty()) return std::nullopt;
    const size_t point = unseen_.contains(default_point_) ? default_point_ : unseen_.draw(rng_);
    unseen_.take(point);
    return point;
  }

  void observe(const Observation& observation) override { unseen_.take(observation.point); }

 private:
  Unseen unseen_;
  size_t default_point_;
  Rng rng_;
};

}  // namespace

std::unique_ptr<Strategy> make_random(SearchProblem problem) {
  return std::make_unique<RandomStrategy>(problem);
}

}  // namespace tinytune
