#include "search/strategies.h"
#include "search/unseen.h"

namespace tinytune {
namespace {

class RandomStrategy : public Strategy {
 public:
  explicit RandomStrategy(const SearchProblem& problem)
      : unseen_(problem.space->size()),
        default_point_(problem.default_point),
        last_stage_(problem.last_stage),
        rng_(Rng(problem.seed).fork("random search")) {}

  std::optional<Proposal> propose() override {
    if (unseen_.empty()) return std::nullopt;
    const size_t point = unseen_.contains(default_point_) ? *default_point_ : unseen_.draw(rng_);
    unseen_.take(point);
    return Proposal{point, last_stage_};
  }

  void observe(const Observation& observation) override { unseen_.take(observation.point); }

 private:
  Unseen unseen_;
  std::optional<size_t> default_point_;
  Fidelity last_stage_;
  Rng rng_;
};

}  // namespace

std::unique_ptr<Strategy> make_random(SearchProblem problem) {
  return std::make_unique<RandomStrategy>(problem);
}

}  // namespace tinytune
