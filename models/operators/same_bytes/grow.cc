// Adds RESHAPE, SQUEEZE or EXPAND_DIMS to a random graph.
#include "tests/random_graphs/grow.h"

#include <algorithm>

#include "tests/random_graphs/operands.h"

namespace tinytune::bench {

template <>
void grow<OperatorKind::kReshape>(GraphMaker& m) {
  const int x = any_source(m);
  auto left = static_cast<int>(elements_of(m.tensor(x).shape));
  Shape out;
  const int rank = m.between(1, kHighestRank);
  for (int axis = 1; axis < rank; ++axis) {
    std::vector<int> divisors;
    for (int d = 1; d <= left; ++d)
      if (left % d == 0) divisors.push_back(d);
    out.push_back(
        divisors[static_cast<size_t>(m.between(0, static_cast<int>(divisors.size()) - 1))]);
    left /= out.back();
  }
  out.insert(out.begin() + m.between(0, rank - 1), left);
  std::vector<int32_t> given(out.begin(), out.end());
  if (m.chance(30)) given[random_axis(m, out)] = -1;
  const int shape = m.integers(given);
  const int y = like(m, x, out);
  m.op(OperatorKind::kReshape, {x, shape}, {y});
}

template <>
void grow<OperatorKind::kSqueeze>(GraphMaker& m) {
  const auto fits = [](const Tensor& t) {
    const auto ones = std::count(t.shape.begin(), t.shape.end(), 1);
    return ones > 0 && ones < static_cast<ptrdiff_t>(t.shape.size());
  };
  const int x = any_source(m, fits, [&] { return m.shape(m.between(2, kHighestRank)); });
  Shape out = m.tensor(x).shape;
  std::erase(out, 1);
  const int y = like(m, x, out);
  m.op(OperatorKind::kSqueeze, {x}, {y});
}

template <>
void grow<OperatorKind::kExpandDims>(GraphMaker& m) {
  const int x = any_source(
      m, [](const Tensor& t) { return t.shape.size() < kHighestRank; },
      [&] { return m.shape(m.between(1, kHighestRank - 1)); });
  Shape out = m.tensor(x).shape;
  const int at = m.between(0, static_cast<int>(out.size()));
  out.insert(out.begin() + at, 1);
  const int axis = m.integer(m.chance(30) ? at - static_cast<int>(out.size()) : at);
  const int y = like(m, x, out);
  m.op(OperatorKind::kExpandDims, {x, axis}, {y});
}

}  // namespace tinytune::bench
