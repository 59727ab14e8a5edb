#include "search/once_each.h"
#include "search/strategies.h"

namespace tinytune {
namespace {

// Visits the enumeration in bit-reversed order: after any number of trials the gaps between visited
// points differ by at most a factor of two. In plain order a budget of a tenth of the space would
// never change the first knob.
class GridStrategy : public OnceEach {
 public:
  explicit GridStrategy(SearchProblem problem) : OnceEach(std::move(problem), "grid") {
    while ((size_t{1} << bits_) < space_.size()) ++bits_;
  }

 private:
  size_t choose() override {
    size_t point = 0;
    do point = reversed(next_++);
    while (point >= space_.size() || !unseen_.contains(point));
    return point;
  }

  size_t reversed(size_t value) const {
    size_t result = 0;
    for (int bit = 0; bit < bits_; ++bit)
      if (value >> bit & 1) result |= size_t{1} << (bits_ - 1 - bit);
    return result;
  }

  size_t next_ = 0;
  int bits_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_grid(SearchProblem problem) {
  return std::make_unique<GridStrategy>(std::move(problem));
}

}  // namespace tinytune
