// Coordinate descent over knobs, as TVM's Droplet search does it.
//
// Around the best point the neighbours one step away along each knob are tried; the best of those
// that improve is where the next ones are looked for. Where none does, the steps grow, and where
// the steps are longer than any list of values the descent starts again from a random point.

#include <algorithm>
#include <deque>
#include <limits>

#include "search/neighbours.h"
#include "search/once_each.h"
#include "search/strategies.h"

namespace tinytune {
namespace {

class Droplet : public OnceEach {
 public:
  explicit Droplet(SearchProblem problem)
      : OnceEach(std::move(problem), "droplet search"), centre_(problem_.default_point) {
    for (size_t f = 0; f < space_.family_count(); ++f)
      for (const Knob& knob : space_.family(f).knobs)
        most_steps_ = std::max(most_steps_, static_cast<int>(knob.values.size()) - 1);
  }

 private:
  void learn(const Observation& observation) override {
    const double cycles = observation.cycles().value_or(std::numeric_limits<double>::infinity());
    if (cycles >= best_) return;
    best_ = cycles;
    better_ = observation.point;
  }

  size_t choose() override {
    if (!centre_) return centre_.emplace(unseen_.draw(rng_));
    while (true) {
      while (!queue_.empty()) {
        const size_t point = queue_.front();
        queue_.pop_front();
        if (unseen_.contains(point)) return point;
      }
      // Somebody waits for this proposal, so a round that is still out is not waited for.
      if (better_) {
        centre_ = *better_;
        better_.reset();
        steps_ = 1;
      } else if (++steps_ > most_steps_) {
        steps_ = 0;
        best_ = std::numeric_limits<double>::infinity();
        return centre_.emplace(unseen_.draw(rng_));
      }
      const auto around = steps_away(space_, *centre_, steps_);
      queue_.assign(around.begin(), around.end());
    }
  }

  std::optional<size_t> centre_;  ///< nothing before the first proposal where none was given
  std::deque<size_t> queue_;
  std::optional<size_t> better_;                           ///< than the centre
  double best_ = std::numeric_limits<double>::infinity();  ///< of this descent
  int steps_ = 0, most_steps_ = 1;
};

}  // namespace

std::unique_ptr<Strategy> make_droplet(SearchProblem problem) {
  return std::make_unique<Droplet>(std::move(problem));
}

}  // namespace tinytune
