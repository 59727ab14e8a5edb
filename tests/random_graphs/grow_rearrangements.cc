// SLICE, REVERSE_V2, MIRROR_PAD, BROADCAST_TO, FILL, blocks of pixels, the gathers, updated slices,
// and what shapes alone decide. Most take any type.
#include <algorithm>

#include "examples/compressed_weights.h"
#include "tests/random_graphs/grow.h"
#include "tests/random_graphs/operands.h"

namespace tinytune::bench {
namespace {

bool is_rank_4(const Tensor& t) { return t.shape.size() == 4; }

// An axis that a block of pixels takes from batch or channels: a multiple of the block's area.
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

// Places to gather from `extents`: known and inside them, or computed on the device, and then
// anything.
int places(GraphMaker& m, Shape shape, const std::vector<int>& extents) {
  if (m.chance(40)) {
    const int computed = m.existing([&](const Tensor& t) {
      return t.type == ElementType::kInt32 && t.shape == shape && !m.is_known(t.id);
    });
    if (computed >= 0) return computed;
    if (!m.is_alone()) return m.input(ElementType::kInt32, std::move(shape), {});
  }
  std::vector<int32_t> values(static_cast<size_t>(elements_of(shape)));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = m.between(0, extents[i % extents.size()] - 1);
  return m.integers(std::move(shape), values);
}

// int8 or float32, constant now and then.
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
void grow<OperatorKind::kSlice>(GraphMaker& m) {
  const int x = any_source(m);
  const Shape in = m.tensor(x).shape;
  Shape out;
  std::vector<int32_t> begins, sizes;
  for (const int extent : in) {
    begins.push_back(m.chance(50) ? 0 : m.between(0, extent - 1));
    const int left = extent - begins.back();
    out.push_back(m.chance(40) ? left : m.between(1, left));
    sizes.push_back(out.back() == left && m.chance(50) ? -1 : out.back());
  }
  const int b = m.integers(begins), s = m.integers(sizes);
  const int y = like(m, x, out);
  m.op(OperatorKind::kSlice, {x, b, s}, {y});
}

template <>
void grow<OperatorKind::kReverseV2>(GraphMaker& m) {
  const int x = any_source(m);
  const Shape in = m.tensor(x).shape;
  const int rank = static_cast<int>(in.size());
  // TFLite Micro takes neighbouring axes only.
  const int first = m.between(0, rank - 1), last = m.between(first, rank - 1);
  std::vector<int32_t> axes;
  for (int axis = first; axis <= last; ++axis) axes.push_back(m.chance(30) ? axis - rank : axis);
  if (m.chance(30)) std::reverse(axes.begin(), axes.end());
  const int given = m.integers(axes);
  const int y = like(m, x, in);
  m.op(OperatorKind::kReverseV2, {x, given}, {y});
}

template <>
void grow<OperatorKind::kMirrorPad>(GraphMaker& m) {
  const auto fits = [&](const Tensor& t) { return elements_of(t.shape) <= m.most_elements() / 2; };
  const int x = m.source(fits, [&] { return m.shape(); });
  Shape out = m.tensor(x).shape;
  const bool reflect = m.chance(50);
  std::vector<int32_t> pads;
  int padded = 0;
  for (size_t axis = 0; axis < out.size(); ++axis) {
    const int most = std::min(4, out[axis] - (reflect ? 1 : 0));
    int before = 0, after = 0;
    if (padded < 3 && m.chance(60)) before = m.between(0, most), after = m.between(0, most);
    if (elements_of(with(out, axis, out[axis] + before + after)) > m.most_elements())
      before = after = 0;
    padded += before + after > 0 ? 1 : 0;
    out[axis] += before + after;
    pads.insert(pads.end(), {before, after});
  }
  const int given = m.integers({static_cast<int>(out.size()), 2}, pads);
  const int y = like(m, x, out);
  m.op(OperatorKind::kMirrorPad, {x, given}, {y}, MirrorPadAttributes{reflect});
}

template <>
void grow<OperatorKind::kBroadcastTo>(GraphMaker& m) {
  const auto fits = [&](const Tensor& t) { return elements_of(t.shape) <= m.most_elements() / 8; };
  const int x = any_source(m, fits, [&] {
    Shape shape = m.shape(m.between(1, 3));
    for (int& extent : shape) extent = m.chance(50) ? 1 : std::min(extent, 5);
    return shape;
  });
  Shape out = m.tensor(x).shape;
  for (size_t axis = 0; axis < out.size(); ++axis)
    if (out[axis] == 1 && m.chance(70))
      out[axis] = static_cast<int>(
          std::min<int64_t>(m.between(1, 9), m.most_elements() / elements_of(out)));
  while (out.size() < kHighestRank && m.chance(30))
    out.insert(out.begin(), static_cast<int>(std::min<int64_t>(
                                m.between(1, 3), m.most_elements() / elements_of(out))));
  const int shape = m.integers({out.begin(), out.end()});
  const int y = like(m, x, out);
  m.op(OperatorKind::kBroadcastTo, {x, shape}, {y});
}

template <>
void grow<OperatorKind::kFill>(GraphMaker& m) {
  const Shape out = m.shape();
  int value =
      m.chance(50)
          ? m.existing([](const Tensor& t) { return is_int8(t) && elements_of(t.shape) == 1; })
          : -1;
  if (value < 0) value = m.random_constant({}, m.quantization());
  const int shape = m.integers({out.begin(), out.end()});
  const int y = like(m, value, out);
  m.op(OperatorKind::kFill, {shape, value}, {y});
}

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

// Decodes an operand of any element type. Decoded weights are made in trial.cc, which compares with
// the plain ones.
template <>
void grow<OperatorKind::kDecode>(GraphMaker& m) {
  const WeightCode code =
      m.one_of({WeightCode::kLookup, WeightCode::kHuffman, WeightCode::kPruned});
  Tensor t;
  t.type = m.one_of({ElementType::kInt8, ElementType::kInt8, ElementType::kInt16});
  if (code != WeightCode::kHuffman && m.chance(30))
    t.type = m.one_of({ElementType::kInt32, ElementType::kBool});
  t.shape = m.shape();
  if (t.type == ElementType::kInt8 || t.type == ElementType::kInt16)
    t.quantization = m.quantization();
  if (t.type == ElementType::kInt16) t.quantization.zero_points[0] = 0;
  t.data.resize(static_cast<size_t>(t.bytes()));
  const int values = m.one_of({1, 2, 5, 16, 100});
  const int zero = t.type == ElementType::kInt8 ? t.quantization.zero_points[0] : 0;
  for (size_t i = 0; i < t.data.size(); i += size_of(t.type))
    t.data[i] = static_cast<uint8_t>(
        m.chance(40) ? zero : m.between(0, t.type == ElementType::kBool ? 1 : values));
  const auto small = compressed(t, code);
  if (!small) return;
  const auto bytes = [&](const std::vector<uint8_t>& data) {
    return m.constant(ElementType::kUint8, {static_cast<int>(data.size())}, {}, data);
  };
  const int codes = bytes(small->codes), description = bytes(small->description);
  const int y = m.result(t.type, t.shape, t.quantization);
  m.op(OperatorKind::kDecode, {codes, description}, {y});
}

template <>
void grow<OperatorKind::kZerosLike>(GraphMaker& m) {
  const int x = any_source(m);
  const int y = like(m, x, m.tensor(x).shape);
  m.op(OperatorKind::kZerosLike, {x}, {y});
}

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

template <>
void grow<OperatorKind::kDynamicUpdateSlice>(GraphMaker& m) {
  const int x = m.source();
  const Tensor whole = m.tensor(x);
  Shape box;
  std::vector<int> room;
  for (const int extent : whole.shape) {
    box.push_back(m.chance(30) ? extent : m.between(1, extent));
    room.push_back(extent - box.back() + 1);
  }
  const int part =
      m.chance(50) ? m.fresh(box, whole.quantization) : m.random_constant(box, whole.quantization);
  const int corner = places(m, {static_cast<int>(box.size())}, room);
  const int y = like(m, x, whole.shape);
  m.op(OperatorKind::kDynamicUpdateSlice, {x, part, corner}, {y});
}

}  // namespace tinytune::bench
