// Adds SHAPE, BROADCAST_ARGS or ZEROS_LIKE to a random graph.
#include "tests/random_graphs/grow.h"

#include "tests/random_graphs/operands.h"

namespace tinytune::bench {

template <>
void grow<OperatorKind::kShape>(GraphMaker& m) {
  const int x = any_source(m);
  const int y = m.result(ElementType::kInt32, {static_cast<int>(m.tensor(x).shape.size())}, {});
  m.op(OperatorKind::kShape, {x}, {y});
}

template <>
void grow<OperatorKind::kBroadcastArgs>(GraphMaker& m) {
  const Shape all = m.shape();
  const Shape a = repeated(m, all), b = m.chance(50) ? all : repeated(m, all);
  const int left = m.integers({a.begin(), a.end()}), right = m.integers({b.begin(), b.end()});
  const int y = m.result(ElementType::kInt32, {static_cast<int>(joined(a, b).size())}, {});
  m.op(OperatorKind::kBroadcastArgs, {left, right}, {y});
}

template <>
void grow<OperatorKind::kZerosLike>(GraphMaker& m) {
  const int x = any_source(m);
  const int y = like(m, x, m.tensor(x).shape);
  m.op(OperatorKind::kZerosLike, {x}, {y});
}

}  // namespace tinytune::bench
