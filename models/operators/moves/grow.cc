// Adds operators that move bytes to a random graph, also on the other types that TFLite moves.
#include "tests/random_graphs/grow.h"

#include <algorithm>
#include <numeric>

#include "tests/random_graphs/operands.h"

namespace tinytune::bench {
namespace {

bool same_kind(const Tensor& a, const Tensor& b) {
  return a.type == b.type && a.quantization.scales == b.quantization.scales &&
         a.quantization.zero_points == b.quantization.zero_points;
}

// Returns a further operand of `shape`, quantised as `model`: computed before, a constant, or new.
int further(GraphMaker& m, const Tensor& model, const Shape& shape, bool equal_scales = false) {
  // TFLite Micro moves bytes unchanged, whatever the scales, but CONCATENATION requires equal ones.
  const bool any_scale = !equal_scales && m.chance(10);
  const auto fits = [&](const Tensor& t) {
    return t.shape == shape && t.type == model.type && (any_scale || same_kind(t, model));
  };
  const int known = m.chance(60) ? m.existing(fits) : -1;
  if (known >= 0) return known;
  if (model.type != ElementType::kInt8) return m.input(model.type, shape, model.quantization);
  if (m.chance(40)) return m.random_constant(shape, model.quantization);
  return m.fresh(shape, model.quantization);
}

void grow_pad(GraphMaker& m, bool with_value) {
  const bool image = m.chance(60);
  const auto fits = [&](const Tensor& t) {
    return elements_of(t.shape) <= m.most_elements() / 2 && (!image || t.shape.size() == 4);
  };
  const int x = m.source(fits, [&] { return image ? m.shape(4) : m.shape(); });
  const Tensor in = m.tensor(x);
  Shape out = in.shape;
  std::vector<int32_t> pads;
  const bool spatial = out.size() == 4 && m.chance(70);  // padding that convolutions can absorb
  for (size_t axis = 0; axis < out.size(); ++axis) {
    const bool padded = spatial ? axis == 1 || axis == 2 : m.chance(60);
    const int most = padded ? (spatial ? m.one_of({1, 1, 2, 3}) : 3) : 0;
    int before = m.between(0, most), after = m.between(0, most);
    if (elements_of(with(out, axis, out[axis] + before + after)) > m.most_elements())
      before = after = 0;
    out[axis] += before + after;
    pads.insert(pads.end(), {before, after});
  }
  const int paddings = m.integers(pads);
  std::vector<int> inputs = {x, paddings};
  if (with_value) inputs.push_back(m.random_constant({1}, in.quantization));
  const int y = like(m, x, out);
  m.op(with_value ? OperatorKind::kPadV2 : OperatorKind::kPad, inputs, {y});
}

}  // namespace

template <>
void grow<OperatorKind::kPad>(GraphMaker& m) {
  grow_pad(m, false);
}

template <>
void grow<OperatorKind::kPadV2>(GraphMaker& m) {
  grow_pad(m, true);
}

template <>
void grow<OperatorKind::kConcatenation>(GraphMaker& m) {
  // TFLite Micro refuses int16 with a zero point.
  const auto fits = [](const Tensor& t) {
    return t.type != ElementType::kInt16 || t.quantization.zero_points[0] == 0;
  };
  const int x = any_source(m, fits, [&] { return m.shape(); });
  const Tensor first = m.tensor(x);
  const size_t axis = random_axis(m, first.shape);
  std::vector<int> inputs = {x};
  Shape out = first.shape;
  const int count = m.one_of({1, 2, 2, 2, 3, 4});
  for (int i = 1; i < count; ++i) {
    const Shape part = with(first.shape, axis, m.chance(50) ? first.shape[axis] : m.between(1, 9));
    if (elements_of(with(out, axis, out[axis] + part[axis])) > m.most_elements()) break;
    inputs.push_back(m.chance(10) && part == first.shape ? x : further(m, first, part, true));
    out[axis] += part[axis];
  }
  if (m.chance(50)) std::reverse(inputs.begin(), inputs.end());
  const int y = like(m, x, out);
  m.op(OperatorKind::kConcatenation, inputs, {y}, AxisAttributes{axis_number(m, axis, out.size())});
}

template <>
void grow<OperatorKind::kPack>(GraphMaker& m) {
  const auto fits = [&](const Tensor& t) {
    return t.shape.size() < kHighestRank && elements_of(t.shape) <= m.most_elements() / 4;
  };
  const int x = any_source(m, fits, [&] { return m.shape(m.between(1, kHighestRank - 1)); });
  const Tensor first = m.tensor(x);
  std::vector<int> inputs = {x};
  const int count = m.between(1, 4);
  for (int i = 1; i < count; ++i) inputs.push_back(further(m, first, first.shape));
  Shape out = first.shape;
  const int at = m.between(0, static_cast<int>(out.size()));
  out.insert(out.begin() + at, count);
  const int y = like(m, x, out);
  m.op(OperatorKind::kPack, inputs, {y},
       AxisAttributes{axis_number(m, static_cast<size_t>(at), out.size())});
}

template <>
void grow<OperatorKind::kUnpack>(GraphMaker& m) {
  const auto short_axis = [](const Shape& s) {
    return s.size() > 1 && *std::min_element(s.begin(), s.end()) <= 6;
  };
  const int x = any_source(
      m, [&](const Tensor& t) { return short_axis(t.shape); },
      [&] { return m.shape(m.between(2, kHighestRank)); });
  const Shape in = m.tensor(x).shape;
  size_t axis = random_axis(m, in);
  while (in[axis] > 6) axis = random_axis(m, in);
  Shape out = in;
  out.erase(out.begin() + static_cast<ptrdiff_t>(axis));
  std::vector<int> parts;
  for (int i = 0; i < in[axis]; ++i) parts.push_back(like(m, x, out));
  m.op(OperatorKind::kUnpack, {x}, parts, AxisAttributes{axis_number(m, axis, in.size())});
}

template <>
void grow<OperatorKind::kSplit>(GraphMaker& m) {
  const int x = any_source(m);
  const Shape in = m.tensor(x).shape;
  size_t axis = random_axis(m, in);
  int count = m.between(2, 5);
  for (int attempt = 0; in[axis] % count != 0; ++attempt) {
    axis = random_axis(m, in);
    count = attempt < 20 ? m.between(2, 5) : 1;
  }
  const int number = m.integer(axis_number(m, axis, in.size()));
  std::vector<int> parts;
  for (int i = 0; i < count; ++i) parts.push_back(like(m, x, with(in, axis, in[axis] / count)));
  m.op(OperatorKind::kSplit, {number, x}, parts);
}

template <>
void grow<OperatorKind::kSplitV>(GraphMaker& m) {
  const int x = any_source(m);
  const Shape in = m.tensor(x).shape;
  const size_t axis = random_axis(m, in);
  std::vector<int32_t> sizes;
  int left = in[axis];
  while (left > 0) {
    sizes.push_back(sizes.size() == 3 ? left : m.between(1, left));
    left -= sizes.back();
  }
  std::vector<int32_t> given = sizes;
  if (m.chance(40))
    given[static_cast<size_t>(m.between(0, static_cast<int>(given.size()) - 1))] = -1;
  const int size_splits = m.integers(given);
  const int number = m.integer(axis_number(m, axis, in.size()));
  std::vector<int> parts;
  for (const int32_t size : sizes) parts.push_back(like(m, x, with(in, axis, size)));
  m.op(OperatorKind::kSplitV, {x, size_splits, number}, parts);
}

template <>
void grow<OperatorKind::kTranspose>(GraphMaker& m) {
  const int x = any_source(m);
  const Shape in = m.tensor(x).shape;
  std::vector<int32_t> order(in.size());
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[static_cast<size_t>(m.between(0, static_cast<int>(i) - 1))]);
  Shape out;
  for (const int32_t axis : order) out.push_back(in[static_cast<size_t>(axis)]);
  const int permutation = m.integers(order);
  const int y = like(m, x, out);
  m.op(OperatorKind::kTranspose, {x, permutation}, {y});
}

template <>
void grow<OperatorKind::kStridedSlice>(GraphMaker& m) {
  const int x = any_source(m);
  const Shape in = m.tensor(x).shape;
  StridedSliceAttributes a;
  std::vector<int32_t> begins, ends, strides;
  Shape out;
  // Axes that are not given are taken whole.
  const size_t given = m.chance(80) ? in.size() : random_axis(m, in) + 1;
  for (size_t axis = 0; axis < in.size(); ++axis) {
    const int size = in[axis];
    if (axis >= given) {
      out.push_back(size);
      continue;
    }
    const bool backwards = m.chance(20);
    const int stride = m.one_of({1, 1, 1, 2, 3}) * (backwards ? -1 : 1);
    int first = m.between(0, size - 1), last = m.between(0, size - 1);
    if ((first > last) != backwards) std::swap(first, last);
    const int bit = 1 << axis;
    const bool more_to_come = axis + 1 < in.size() || !out.empty();
    if (m.chance(15) && more_to_come) {
      a.shrink_axis_mask |= bit;
      begins.push_back(m.chance(30) ? first - size : first);
      ends.push_back(first + 1);
      strides.push_back(1);
      continue;
    }
    if (m.chance(25)) a.begin_mask |= bit, first = backwards ? size - 1 : 0;
    if (m.chance(25)) a.end_mask |= bit, last = backwards ? 0 : size - 1;
    const bool from_end = m.chance(25);
    begins.push_back(from_end ? first - size : first);
    int32_t end = last + (backwards ? -1 : 1);
    if (!backwards && last == size - 1 && m.chance(30)) end = size + 5;  // clamped
    if (backwards && last == 0)
      end = -size - m.between(1, 3);  // before the first
    else if (m.chance(25) && end < size && end >= 0)
      end -= size;  // from the end
    ends.push_back(end);
    strides.push_back(stride);
    const int reach = backwards ? first - last : last - first;
    out.push_back(reach / (backwards ? -stride : stride) + 1);
  }
  const int b = m.integers(begins), e = m.integers(ends), s = m.integers(strides);
  const int y = like(m, x, out);
  m.op(OperatorKind::kStridedSlice, {x, b, e, s}, {y}, a);
}

}  // namespace tinytune::bench
