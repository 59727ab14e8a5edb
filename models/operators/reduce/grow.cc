// Adds reductions to a random graph.
#include "tests/random_graphs/grow.h"

#include "tests/random_graphs/operands.h"

namespace tinytune::bench {

template <>
void grow<OperatorKind::kMean>(GraphMaker& m) {
  const int x = m.source();
  const Reduced r = reduced(m, m.tensor(x).shape);
  const int y = m.result(r.shape, m.scaled_to(scale_of(m, x) / 3));
  m.op(OperatorKind::kMean, {x, r.axes}, {y}, ReducerAttributes{r.keep_dims});
}

namespace {

void grow_reduction(GraphMaker& m, OperatorKind kind) {
  const int x = m.source();
  const Reduced r = reduced(m, m.tensor(x).shape);
  const int y = like(m, x, r.shape);
  m.op(kind, {x, r.axes}, {y}, ReducerAttributes{r.keep_dims});
}

void grow_arg_extremum(GraphMaker& m, OperatorKind kind) {
  const int x = m.source([](const Tensor& t) { return t.shape.size() > 1; },
                         [&] { return m.shape(m.between(2, kHighestRank)); });
  Shape out = m.tensor(x).shape;
  const size_t rank = out.size(), axis = random_axis(m, out);
  out.erase(out.begin() + static_cast<ptrdiff_t>(axis));
  const int along = m.integer(axis_number(m, axis, rank));
  const int y = m.result(ElementType::kInt32, out, {});
  m.op(kind, {x, along}, {y});
}

}  // namespace

template <>
void grow<OperatorKind::kSum>(GraphMaker& m) {
  const int x = m.source();
  const Reduced r = reduced(m, m.tensor(x).shape);
  const int y = m.result(r.shape, m.scaled_to(scale_of(m, x) * 3));
  m.op(OperatorKind::kSum, {x, r.axes}, {y}, ReducerAttributes{r.keep_dims});
}

template <>
void grow<OperatorKind::kReduceMax>(GraphMaker& m) {
  grow_reduction(m, OperatorKind::kReduceMax);
}

template <>
void grow<OperatorKind::kReduceMin>(GraphMaker& m) {
  grow_reduction(m, OperatorKind::kReduceMin);
}

template <>
void grow<OperatorKind::kArgMax>(GraphMaker& m) {
  grow_arg_extremum(m, OperatorKind::kArgMax);
}

template <>
void grow<OperatorKind::kArgMin>(GraphMaker& m) {
  grow_arg_extremum(m, OperatorKind::kArgMin);
}

namespace {

using K = OperatorKind;

}  // namespace

template <>
void grow<K::kReduceAll>(GraphMaker& m) {
  const int x = typed(m, ElementType::kBool);
  const Reduced r = reduced(m, m.tensor(x).shape);
  const int y = like(m, x, r.shape);
  m.op(K::kReduceAll, {x, r.axes}, {y}, ReducerAttributes{r.keep_dims});
}

}  // namespace tinytune::bench
