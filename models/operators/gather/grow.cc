// Adds GATHER, GATHER_ND or EMBEDDING_LOOKUP to a random graph.
#include "tests/random_graphs/grow.h"

#include <algorithm>

#include "tests/random_graphs/operands.h"

namespace tinytune::bench {
namespace {

// Returns data to gather from: int8 or float32, constant now and then.
int gathered(GraphMaker& m, size_t least_rank) {
  const auto fits = [&](const Tensor& t) { return t.shape.size() >= least_rank; };
  if (m.chance(10)) {
    const int known =
        m.existing([&](const Tensor& t) { return t.type == ElementType::kFloat32 && fits(t); });
    if (known >= 0) return known;
  }
  const auto shape = [&] { return m.shape(m.between(static_cast<int>(least_rank), 4)); };
  if (m.chance(30)) return m.random_constant(shape(), m.quantization());
  return m.source(fits, shape);
}

Shape places_shape(GraphMaker& m, int64_t slice) {
  const auto most = static_cast<int>(std::clamp<int64_t>(m.most_elements() / slice, 1, 6));
  return m.chance(70) ? Shape{m.between(1, most)} : Shape{1, m.between(1, most)};
}

}  // namespace

template <>
void grow<OperatorKind::kGather>(GraphMaker& m) {
  const int x = gathered(m, 1);
  const Shape in = m.tensor(x).shape;
  size_t axis = random_axis(m, in);
  const size_t batch = axis > 0 && m.chance(25) ? 1 : 0;
  Shape at(in.begin(), in.begin() + static_cast<ptrdiff_t>(batch));
  const Shape own = places_shape(m, elements_of(in) / in[axis]);
  at.insert(at.end(), own.begin(), own.end());
  Shape out(in.begin(), in.begin() + static_cast<ptrdiff_t>(axis));
  out.insert(out.end(), own.begin(), own.end());
  out.insert(out.end(), in.begin() + static_cast<ptrdiff_t>(axis) + 1, in.end());
  const int p = places(m, at, {in[axis]});
  const int y = like(m, x, out);
  m.op(OperatorKind::kGather, {x, p}, {y},
       GatherAttributes{axis_number(m, axis, in.size()), static_cast<int>(batch)});
}

template <>
void grow<OperatorKind::kGatherNd>(GraphMaker& m) {
  const int x = gathered(m, 1);
  const Shape in = m.tensor(x).shape;
  const size_t depth = random_axis(m, in) + 1;
  const Shape slice(in.begin() + static_cast<ptrdiff_t>(depth), in.end());
  Shape out = places_shape(m, elements_of(slice)), at = out;
  at.push_back(static_cast<int>(depth));
  out.insert(out.end(), slice.begin(), slice.end());
  const int p = places(m, at, {in.begin(), in.begin() + static_cast<ptrdiff_t>(depth)});
  const int y = like(m, x, out);
  m.op(OperatorKind::kGatherNd, {x, p}, {y});
}

template <>
void grow<OperatorKind::kEmbeddingLookup>(GraphMaker& m) {
  const int x = gathered(m, 2);
  Shape out = m.tensor(x).shape;
  const int rows = out[0];
  const int64_t row = elements_of(out) / rows;
  out[0] = static_cast<int>(std::clamp<int64_t>(m.most_elements() / row, 1, m.between(1, 9)));
  const int p = places(m, {out[0]}, {rows});
  const int y = like(m, x, out);
  m.op(OperatorKind::kEmbeddingLookup, {p, x}, {y});
}

}  // namespace tinytune::bench
