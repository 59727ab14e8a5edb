// Adds SLICE, REVERSE_V2, MIRROR_PAD, BROADCAST_TO or FILL to a random graph.
#include <algorithm>

#include "tests/random_graphs/grow.h"
#include "tests/random_graphs/operands.h"

namespace tinytune::bench {

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

}  // namespace tinytune::bench
