// Adds RESIZE_NEAREST_NEIGHBOR or RESIZE_BILINEAR to a random graph.
#include "tests/random_graphs/grow.h"

#include <algorithm>

#include "tests/random_graphs/operands.h"

namespace tinytune::bench {
namespace {

void grow_resize(GraphMaker& m, OperatorKind kind) {
  const auto fits = [&](const Tensor& t) {
    return is_rank_4(t) && t.shape[0] * t.shape[3] <= m.most_elements() / 4;
  };
  const int x = m.source(fits, [&] { return m.shape(4); });
  const Shape in = m.tensor(x).shape;
  ResizeAttributes a;
  switch (m.between(0, 2)) {
    case 0:
      a.align_corners = true;
      break;
    case 1:
      a.half_pixel_centers = true;
      break;
    default:
      break;
  }
  int rows = m.one_of({1, in[1], 2 * in[1], m.between(1, 15)});
  int columns = m.one_of({1, in[2], 2 * in[2], m.between(1, 15)});
  const int64_t pixels = m.most_elements() / (in[0] * in[3]);
  rows = static_cast<int>(std::min<int64_t>(rows, pixels));
  columns = static_cast<int>(std::min<int64_t>(columns, pixels / rows));
  const int y = m.result({in[0], rows, columns, in[3]}, m.tensor(x).quantization);
  m.op(kind, {x, m.integers({rows, columns})}, {y}, a);
}

}  // namespace

template <>
void grow<OperatorKind::kResizeNearestNeighbor>(GraphMaker& m) {
  grow_resize(m, OperatorKind::kResizeNearestNeighbor);
}

template <>
void grow<OperatorKind::kResizeBilinear>(GraphMaker& m) {
  grow_resize(m, OperatorKind::kResizeBilinear);
}

}  // namespace tinytune::bench
