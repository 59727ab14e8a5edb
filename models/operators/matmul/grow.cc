// Adds BATCH_MATMUL to a random graph.
#include "tests/random_graphs/grow.h"

#include <algorithm>
#include <cmath>

#include "tests/random_graphs/operands.h"

namespace tinytune::bench {
namespace {

bool is_matrix(const Tensor& t) {
  return t.shape.size() > 1 && is_moderate(t.quantization.scales[0]);
}

// Returns the shape of a small right side: matrices of `depth` rows, in batches or not.
Shape other_side(GraphMaker& m, const Shape& left, int depth, bool exchanged) {
  const int64_t rows = elements_of(left) / depth;
  const auto columns = static_cast<int>(
      std::clamp<int64_t>(m.most_elements() / std::max<int64_t>(rows, depth), 1, m.between(1, 9)));
  Shape right(left.begin(), left.end() - 2);
  if (m.chance(40)) right.clear();
  for (int& extent : right)
    if (m.chance(30)) extent = 1;
  right.push_back(exchanged ? columns : depth);
  right.push_back(exchanged ? depth : columns);
  return right;
}

}  // namespace

template <>
void grow<OperatorKind::kBatchMatMul>(GraphMaker& m) {
  BatchMatMulAttributes a{m.chance(30), m.chance(50)};
  const int x = m.source(is_matrix, [&] { return m.shape(m.between(2, kHighestRank)); });
  const Shape left = m.tensor(x).shape;
  const int depth = left[left.size() - (a.adj_x ? 2 : 1)];
  const int rows = left[left.size() - (a.adj_x ? 1 : 2)];
  const Shape right = other_side(m, left, depth, a.adj_y);
  const int columns = right[right.size() - (a.adj_y ? 2 : 1)];
  const auto fits = [&](const Tensor& t) {
    return is_int8(t) && t.shape == right && is_moderate(t.quantization.scales[0]);
  };
  Quantization q = m.quantization();
  if (m.chance(50)) q.zero_points[0] = 0;  // as weights have it
  int w = m.chance(40) ? m.existing(fits) : -1;
  if (w < 0) w = m.chance(50) ? m.random_constant(right, q) : m.fresh(right, q);
  Shape out(left.begin(), left.end() - 2);
  out.insert(out.end(), {rows, columns});
  const double natural = scale_of(m, x) * scale_of(m, w) * 80 * std::sqrt(depth);
  const int y = m.result(out, m.scaled_to(natural));
  m.op(OperatorKind::kBatchMatMul, {x, w}, {y}, a);
}

}  // namespace tinytune::bench
