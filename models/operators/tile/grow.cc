// Adds TILE to a random graph.
#include "tests/random_graphs/grow.h"

#include <algorithm>

#include "tests/random_graphs/operands.h"

namespace tinytune::bench {

template <>
void grow<OperatorKind::kTile>(GraphMaker& m) {
  const auto fits = [&](const Tensor& t) { return elements_of(t.shape) <= m.most_elements() / 4; };
  const int x = any_source(m, fits, [&] { return m.shape(m.between(1, 4)); });
  Shape out = m.tensor(x).shape;
  std::vector<int32_t> times;
  for (int& extent : out) {
    const int64_t most = m.most_elements() / elements_of(out);
    times.push_back(static_cast<int>(std::clamp<int64_t>(m.one_of({1, 1, 2, 3}), 1, most)));
    extent *= times.back();
  }
  const int multiples = m.integers(times);
  const int y = like(m, x, out);
  m.op(OperatorKind::kTile, {x, multiples}, {y});
}

}  // namespace tinytune::bench
