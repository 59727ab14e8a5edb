// A genetic algorithm with AutoTVM's rates: the fittest breed, children differ from both parents.
//
// There are no generations: each call breeds a child from the individuals known by then, because a
// barrier between generations would leave builders idle. Crossover happens only within a family of
// schedules, because families have different knobs.

#include <algorithm>
#include <vector>

#include "search/once_each.h"
#include "search/strategies.h"

namespace tinytune {
namespace {

constexpr size_t kPopulation = 100;
constexpr size_t kFirst = 16;      // random individuals before breeding starts
constexpr double kMutation = 0.1;  // probability for each knob
constexpr int kAttempts = 32;      // to breed a child that is legal and new

class Genetic : public OnceEach {
 public:
  explicit Genetic(SearchProblem problem) : OnceEach(std::move(problem), "genetic search") {}

 private:
  struct Living {
    size_t point;
    double cycles;
  };

  void learn(const Observation& observation) override {
    const auto cycles = observation.cycles();
    if (!cycles) return;
    const Living one{observation.point, *cycles};
    const auto slower = [](const Living& a, const Living& b) { return a.cycles < b.cycles; };
    living_.insert(std::upper_bound(living_.begin(), living_.end(), one, slower), one);
    if (living_.size() > kPopulation) living_.pop_back();
  }

  // Draws an individual with a probability proportional to its fitness, the inverse of its cycles.
  const Living& parent() {
    double all = 0;
    for (const Living& one : living_) all += 1 / one.cycles;
    double left = rng_.uniform() * all;
    for (const Living& one : living_)
      if ((left -= 1 / one.cycles) <= 0) return one;
    return living_.back();
  }

  size_t choose() override {
    if (living_.size() < kFirst) return unseen_.draw(rng_);
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      const size_t mother = parent().point, father = parent().point;
      const size_t family = space_.family_of(mother);
      ConfigSpace::Coordinates child = space_.coordinates(mother);
      if (space_.family_of(father) == family)
        for (size_t k = 0; k < child.size(); ++k)
          if (rng_.below(2) == 0) child[k] = space_.coordinates(father)[k];
      for (size_t k = 0; k < child.size(); ++k)
        if (rng_.uniform() < kMutation)
          child[k] =
              static_cast<uint16_t>(rng_.below(space_.family(family).knobs[k].values.size()));
      const auto point = space_.find(family, child);
      if (point && unseen_.contains(*point)) return *point;
    }
    return unseen_.draw(rng_);
  }

  std::vector<Living> living_;  ///< the fittest first
};

}  // namespace

std::unique_ptr<Strategy> make_genetic(SearchProblem problem) {
  return std::make_unique<Genetic>(std::move(problem));
}

}  // namespace tinytune
