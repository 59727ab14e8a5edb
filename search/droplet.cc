// Coordinate descent over knobs, as TVM's Droplet search does it.
//
// Tries the neighbours of the best point that are one step away along each knob, and moves to the
// best one that improves. If none does, the step length grows. When it exceeds every list of
// values, the descent restarts from a random point.

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
      // The caller needs a proposal now, so this does not wait for outstanding ones of the round.
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

  std::optional<size_t> centre_;  ///< nothing before the first proposal if there is no default
  std::deque<size_t> queue_;
  std::optional<size_t> better_;                           ///< best point since the centre moved
  double best_ = std::numeric_limits<double>::infinity();  ///< of this descent
  int steps_ = 0, most_steps_ = 1;
};

}  // namespace

std::unique_ptr<Strategy> make_droplet(SearchProblem problem) {
  return std::make_unique<Droplet>(std::move(problem));
}

}  // namespace tinytune
