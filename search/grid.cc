#include "search/strategies.h"
#include "search/unseen.h"

namespace tinytune {
namespace {

// Visits the enumeration in bit-reversed order: after n trials the gaps between visited points
// differ by at most a factor of two, whatever n is. In plain order a budget of a tenth of the space
// would never move the first knob.
class GridStrategy : public Strategy {
 public:
  explicit GridStrategy(const SearchProblem& problem)
      : unseen_(problem.space->size()),
        default_point_(problem.default_point),
        last_stage_(problem.last_stage) {
    while ((size_t{1} << bits_) < problem.space->size()) ++bits_;
  }

  std::optional<Proposal> propose() override {
    if (unseen_.empty()) return std::nullopt;
    const size_t point = unseen_.contains(default_point_) ? *default_point_ : next();
    unseen_.take(point);
    return Proposal{point, last_stage_};
  }

  void observe(const Observation& observation) override { unseen_.take(observation.point); }

 private:
  size_t next() {
    size_t point = 0;
    do point = reversed(next_++);
    while (point >= unseen_.space_size() || !unseen_.contains(point));
    return point;
  }

  size_t reversed(size_t value) const {
    size_t result = 0;
    for (int bit = 0; bit < bits_; ++bit)
      if (value >> bit & 1) result |= size_t{1} << (bits_ - 1 - bit);
    return result;
  }

  Unseen unseen_;
  std::optional<size_t> default_point_;
  Fidelity last_stage_;
  size_t next_ = 0;
  int bits_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_grid(SearchProblem problem) {
  return std::make_unique<GridStrategy>(problem);
}

}  // namespace tinytune
