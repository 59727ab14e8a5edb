#include "search/once_each.h"
#include "search/strategies.h"

namespace tinytune {
namespace {

class RandomStrategy : public OnceEach {
 public:
  explicit RandomStrategy(SearchProblem problem) : OnceEach(std::move(problem), "random search") {}

 private:
  size_t choose() override { return unseen_.draw(rng_); }
};

}  // namespace

std::unique_ptr<Strategy> make_random(SearchProblem problem) {
  return std::make_unique<RandomStrategy>(std::move(problem));
}

}  // namespace tinytune
