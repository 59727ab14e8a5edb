// Adds AVERAGE_POOL_2D or MAX_POOL_2D to a random graph.
#include "tests/random_graphs/grow.h"

#include <algorithm>

#include "models/quantise.h"
#include "tests/random_graphs/operands.h"

namespace tinytune::bench {
namespace {

void grow_pool(GraphMaker& m, OperatorKind kind) {
  const int x = m.source(is_rank_4, [&] { return m.shape(4); });
  const Shape in = m.tensor(x).shape;
  PoolAttributes a;
  a.padding = m.one_of({Padding::kSame, Padding::kValid});
  a.activation = m.activation_function();
  a.filter_h = m.between(1, 6), a.filter_w = m.between(1, 6);
  if (m.chance(25)) a.filter_h = in[1], a.filter_w = in[2];  // global
  if (m.chance(15)) a.filter_h = in[1] + m.between(1, 3);
  a.stride_h = m.between(1, 4), a.stride_w = m.chance(70) ? a.stride_h : m.between(1, 4);
  if (a.padding == Padding::kValid) {
    a.filter_h = std::min(a.filter_h, in[1]);
    a.filter_w = std::min(a.filter_w, in[2]);
  }
  const int rows = window_of(a.padding, in[1], a.filter_h, a.stride_h, 1).extent;
  const int columns = window_of(a.padding, in[2], a.filter_w, a.stride_w, 1).extent;
  const int y = m.result({in[0], rows, columns, in[3]}, m.tensor(x).quantization);
  m.op(kind, {x}, {y}, a);
}

}  // namespace

template <>
void grow<OperatorKind::kAveragePool2d>(GraphMaker& m) {
  grow_pool(m, OperatorKind::kAveragePool2d);
}

template <>
void grow<OperatorKind::kMaxPool2d>(GraphMaker& m) {
  grow_pool(m, OperatorKind::kMaxPool2d);
}

}  // namespace tinytune::bench
