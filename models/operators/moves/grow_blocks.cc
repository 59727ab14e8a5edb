// Adds SPACE_TO_DEPTH, SPACE_TO_BATCH_ND or their inverses to a random graph.
#include <algorithm>

#include "tests/random_graphs/grow.h"
#include "tests/random_graphs/operands.h"

namespace tinytune::bench {
namespace {

// Returns an image whose extent along `axis`, batch or channels, is a multiple of a block's area.
int image_with(GraphMaker& m, size_t axis, int divisor) {
  const auto fits = [&](const Tensor& t) { return is_rank_4(t) && t.shape[axis] % divisor == 0; };
  return m.source(fits, [&] {
    Shape shape = m.shape(4);
    shape[axis] = divisor * m.between(1, 3);
    while (elements_of(shape) > m.most_elements() && shape[1] * shape[2] > 1)
      shape[1] = std::max(1, shape[1] / 2), shape[2] = std::max(1, shape[2] / 2);
    return shape;
  });
}

}  // namespace

template <>
void grow<OperatorKind::kSpaceToDepth>(GraphMaker& m) {
  const int block = m.between(1, 3);
  const auto fits = [&](const Tensor& t) {
    return is_rank_4(t) && t.shape[1] % block == 0 && t.shape[2] % block == 0;
  };
  const int x = m.source(fits, [&] {
    Shape shape = m.shape(4);
    for (size_t axis = 1; axis < 3; ++axis) shape[axis] = (shape[axis] / block + 1) * block;
    return shape;
  });
  const Shape in = m.tensor(x).shape;
  const int y = like(m, x, {in[0], in[1] / block, in[2] / block, in[3] * block * block});
  m.op(OperatorKind::kSpaceToDepth, {x}, {y}, BlockAttributes{block});
}

template <>
void grow<OperatorKind::kDepthToSpace>(GraphMaker& m) {
  const int block = m.between(1, 3);
  const int x = image_with(m, 3, block * block);
  const Shape in = m.tensor(x).shape;
  const int y = like(m, x, {in[0], in[1] * block, in[2] * block, in[3] / block / block});
  m.op(OperatorKind::kDepthToSpace, {x}, {y}, BlockAttributes{block});
}

template <>
void grow<OperatorKind::kSpaceToBatchNd>(GraphMaker& m) {
  const bool flat = m.chance(25);  // one axis of pixels
  const auto fits = [&](const Tensor& t) {
    return t.shape.size() == (flat ? 3u : 4u) && elements_of(t.shape) <= m.most_elements() / 2;
  };
  const int x = m.source(fits, [&] { return m.shape(flat ? 3 : 4); });
  Shape out = m.tensor(x).shape;
  std::vector<int32_t> blocks, pads;
  for (size_t axis = 1; axis + 1 < out.size(); ++axis) {
    const int block = m.between(1, 3), before = m.between(0, 3);
    const int short_by = (block - (out[axis] + before) % block) % block;
    blocks.push_back(block);
    pads.insert(pads.end(), {before, short_by});
    out[axis] = (out[axis] + before + short_by) / block;
    out[0] *= block;
  }
  const int b = m.integers(blocks), p = m.integers({static_cast<int>(blocks.size()), 2}, pads);
  const int y = like(m, x, out);
  m.op(OperatorKind::kSpaceToBatchNd, {x, b, p}, {y});
}

template <>
void grow<OperatorKind::kBatchToSpaceNd>(GraphMaker& m) {
  const int rows = m.between(1, 3), columns = m.between(1, 2);
  const int x = image_with(m, 0, rows * columns);
  Shape out = m.tensor(x).shape;
  out[0] /= rows * columns, out[1] *= rows, out[2] *= columns;
  std::vector<int32_t> crops;
  for (size_t axis = 1; axis < 3; ++axis) {
    const int before = m.between(0, std::min(2, out[axis] - 1));
    const int after = m.between(0, std::min(2, out[axis] - 1 - before));
    crops.insert(crops.end(), {before, after});
    out[axis] -= before + after;
  }
  const int b = m.integers({rows, columns}), c = m.integers({2, 2}, crops);
  const int y = like(m, x, out);
  m.op(OperatorKind::kBatchToSpaceNd, {x, b, c}, {y});
}

}  // namespace tinytune::bench
