// Adds operators on plain integers to a random graph, as import creates them from Deeploy's and
// QuantLib's networks: bytes have a zero point of 0 or, for uint8, -128; sums are int32 without a
// scale.
#include "tests/random_graphs/grow.h"

#include <algorithm>
#include <cmath>

#include "tests/random_graphs/operands.h"

namespace tinytune::bench {
namespace {

Quantization plain(GraphMaker& m) { return {{1}, {m.chance(70) ? 0 : -128}, 0}; }

bool is_plain(const Tensor& t) {
  return is_int8(t) && t.quantization.scales.size() == 1 &&
         (t.quantization.zero_points[0] == 0 || t.quantization.zero_points[0] == -128);
}

bool is_sum(const Tensor& t) {
  return t.type == ElementType::kInt32 && t.quantization.scales.empty();
}

// Returns bytes that are no constant, because import computes operators on constants alone.
int bytes(GraphMaker& m, const GraphMaker::Fits& fits, const std::function<Shape()>& otherwise) {
  const int x = m.existing([&](const Tensor& t) { return is_plain(t) && fits(t); });
  if (x >= 0 && !m.is_known(x) && !m.chance(15)) return x;
  return m.input(ElementType::kInt8, otherwise(), plain(m));
}
int bytes(GraphMaker& m) {
  return bytes(
      m, [](const Tensor&) { return true; }, [&] { return m.shape(); });
}

int numbers(GraphMaker& m, size_t count, int low, int high) {
  std::vector<int32_t> values(count);
  for (int32_t& value : values) value = m.between(low, high);
  return m.integers(values);
}

int sum_of(GraphMaker& m, Shape shape) {
  return m.result(ElementType::kInt32, std::move(shape), {});
}

// Picks an int32 tensor, or makes one from bytes by a look-up table where no operator produced one.
int sums(GraphMaker& m, const GraphMaker::Fits& fits, const std::function<Shape()>& otherwise) {
  const int x = m.existing([&](const Tensor& t) { return is_sum(t) && fits(t); });
  if (x >= 0 && !m.is_known(x)) return x;
  const int b = bytes(m, fits, otherwise);
  const int reach = m.one_of({100, 5000, 1 << 20});
  const int y = sum_of(m, m.tensor(b).shape);
  m.op(OperatorKind::kIntegerTable, {b, numbers(m, 256, -reach, reach)}, {y});
  return y;
}
int sums(GraphMaker& m) {
  return sums(
      m, [](const Tensor&) { return true; }, [&] { return m.shape(); });
}
int bytes_or_sums(GraphMaker& m) { return m.chance(50) ? bytes(m) : sums(m); }

// Returns a second operand that broadcasts to `x`, a constant now and then.
int other(GraphMaker& m, int x) {
  const Shape shape = m.chance(50) ? m.tensor(x).shape : repeated(m, m.tensor(x).shape);
  const auto same = [&](const Tensor& t) { return t.shape == shape; };
  if (m.chance(40)) {
    const int y =
        m.existing([&](const Tensor& t) { return (is_plain(t) || is_sum(t)) && same(t); });
    if (y >= 0) return y;
  }
  if (m.chance(50)) return m.random_constant(ElementType::kInt8, shape, plain(m));
  std::vector<int32_t> values(static_cast<size_t>(elements_of(shape)));
  for (int32_t& value : values) value = m.between(-70000, 70000);
  return m.integers(shape, values);
}

// Returns REQUANT_SHIFT's operands, for results of this zero point.
std::vector<int> scaling(GraphMaker& m, const Shape& scales, int zero, int least_multiplier) {
  const int low = -128 - zero, high = 127 - zero;
  const int clamped = m.chance(30) ? m.between(low, 0) : low;
  std::vector<int32_t> multipliers(static_cast<size_t>(elements_of(scales)));
  std::vector<int32_t> addends(multipliers.size());
  for (int32_t& value : multipliers) value = m.between(least_multiplier, m.one_of({1, 50, 3000}));
  const int reach = m.one_of({0, 1000, 1 << 22});
  for (int32_t& value : addends) value = m.between(-reach, reach);
  return {m.integers(scales, multipliers), m.integers(scales, addends),
          m.integers({m.one_of({0, 1, 4, 8, 12, 16, 24}), clamped, high})};
}

void grow_arithmetic(GraphMaker& m, OperatorKind kind) {
  const int a = bytes_or_sums(m), b = other(m, a);
  const int y = sum_of(m, joined(m.tensor(a).shape, m.tensor(b).shape));
  m.op(kind, m.chance(50) ? std::vector<int>{a, b} : std::vector<int>{b, a}, {y});
}

void grow_reduction(GraphMaker& m, OperatorKind kind, bool keeps_type) {
  const int x = bytes_or_sums(m);
  const Shape in = m.tensor(x).shape;
  std::vector<int32_t> axes;
  Shape out = in;
  for (size_t axis = 0; axis < in.size(); ++axis)
    if (m.chance(50) || (axis + 1 == in.size() && axes.empty())) {
      axes.push_back(axis_number(m, axis, in.size()));
      out[axis] = 1;
    }
  const int y =
      keeps_type && !is_sum(m.tensor(x)) ? m.result(out, m.tensor(x).quantization) : sum_of(m, out);
  m.op(kind, {x, m.integers(axes)}, {y});
}

}  // namespace

template <>
void grow<OperatorKind::kRequantShift>(GraphMaker& m) {
  const int x = bytes_or_sums(m);
  const Shape shape = m.tensor(x).shape;
  Shape scales(shape.size(), 1);
  if (m.chance(50)) scales.back() = shape.back();
  const Quantization q = plain(m);
  const int y = m.result(shape, q);
  std::vector<int> inputs = {x};
  const auto more = scaling(m, scales, q.zero_points[0], m.chance(80) ? 1 : -40);
  inputs.insert(inputs.end(), more.begin(), more.end());
  m.op(OperatorKind::kRequantShift, inputs, {y});
}

template <>
void grow<OperatorKind::kIntegerTable>(GraphMaker& m) {
  const int x = bytes(m);
  const int reach = m.one_of({1, 127, 30000, 1 << 30});
  const int y = sum_of(m, m.tensor(x).shape);
  m.op(OperatorKind::kIntegerTable, {x, numbers(m, 256, -reach, reach)}, {y});
}

template <>
void grow<OperatorKind::kIntegerSumTable>(GraphMaker& m) {
  const int a = bytes(m);
  const Shape shape = m.chance(50) ? m.tensor(a).shape : repeated(m, m.tensor(a).shape);
  const int b = bytes(
      m, [&](const Tensor& t) { return t.shape == shape; }, [&] { return shape; });
  const int most = m.one_of({1, 200, 3000});
  const int terms = m.chance(50) ? numbers(m, 512, 0, most) : m.integers([&] {
    std::vector<int32_t> line(512);
    for (int i = 0; i < 512; ++i) line[static_cast<size_t>(i)] = i % 256;
    return line;
  }());
  const int table = numbers(m, 2 * static_cast<size_t>(std::max(most, 255)) + 1, -128, 127);
  const int y = m.result(joined(m.tensor(a).shape, shape), plain(m));
  m.op(OperatorKind::kIntegerSumTable, {a, b, terms, table}, {y});
}

template <>
void grow<OperatorKind::kIntegerAdd>(GraphMaker& m) {
  grow_arithmetic(m, OperatorKind::kIntegerAdd);
}
template <>
void grow<OperatorKind::kIntegerSub>(GraphMaker& m) {
  grow_arithmetic(m, OperatorKind::kIntegerSub);
}
template <>
void grow<OperatorKind::kIntegerMul>(GraphMaker& m) {
  if (m.chance(50)) return grow_arithmetic(m, OperatorKind::kIntegerMul);
  const int a = bytes(m);
  const Shape shape = m.chance(50) ? m.tensor(a).shape : repeated(m, m.tensor(a).shape);
  const int b = bytes(
      m, [&](const Tensor& t) { return t.shape == shape; }, [&] { return shape; });
  const Quantization q = plain(m);
  std::vector<int> inputs = {a, b};
  const auto more = scaling(m, {1}, q.zero_points[0], 1);
  inputs.insert(inputs.end(), more.begin(), more.end());
  m.op(OperatorKind::kIntegerMul, inputs, {m.result(joined(m.tensor(a).shape, shape), q)});
}
template <>
void grow<OperatorKind::kIntegerMax>(GraphMaker& m) {
  grow_arithmetic(m, OperatorKind::kIntegerMax);
}
template <>
void grow<OperatorKind::kIntegerMin>(GraphMaker& m) {
  grow_arithmetic(m, OperatorKind::kIntegerMin);
}

template <>
void grow<OperatorKind::kIntegerDiv>(GraphMaker& m) {
  const int x = bytes_or_sums(m), by = other(m, x);
  const int y = sum_of(m, joined(m.tensor(x).shape, m.tensor(by).shape));
  const int rules = m.integers({m.one_of({1, 64, 255, 1 << 16}), m.one_of({1, 3, 1000}),
                                m.one_of({0, 1, 77}), m.between(0, 1)});
  m.op(OperatorKind::kIntegerDiv, {x, by, rules}, {y});
}

template <>
void grow<OperatorKind::kIntegerMatMul>(GraphMaker& m) {
  const BatchMatMulAttributes a{m.chance(30), m.chance(50)};
  const auto is_matrix = [](const Tensor& t) { return t.shape.size() > 1 && t.shape.size() < 5; };
  const auto matrix = [&] { return m.shape(m.between(2, 4)); };
  const bool of_sums = m.chance(30);
  const int x = of_sums ? sums(m, is_matrix, matrix) : bytes(m, is_matrix, matrix);
  const Shape left = m.tensor(x).shape;
  const int depth = left[left.size() - (a.adj_x ? 2 : 1)];
  const int rows = left[left.size() - (a.adj_x ? 1 : 2)];
  const int columns = static_cast<int>(std::clamp<int64_t>(
      m.most_elements() / std::max<int64_t>(elements_of(left) / depth, depth), 1, m.between(1, 9)));
  Shape right(left.begin(), left.end() - 2);
  right.push_back(a.adj_y ? columns : depth);
  right.push_back(a.adj_y ? depth : columns);
  const int w = bytes(
      m, [&](const Tensor& t) { return t.shape == right; }, [&] { return right; });
  Shape out(left.begin(), left.end() - 2);
  out.insert(out.end(), {rows, columns});
  std::vector<int> inputs = {x, w};
  if (of_sums || m.chance(50)) {
    const int y = sum_of(m, out);
    return m.op(OperatorKind::kIntegerMatMul, inputs, {y}, a);
  }
  const Quantization q = plain(m);
  const auto more = scaling(m, {1}, q.zero_points[0], 1);
  inputs.insert(inputs.end(), more.begin(), more.end());
  const int y = m.result(out, q);
  m.op(OperatorKind::kIntegerMatMul, inputs, {y}, a);
}

template <>
void grow<OperatorKind::kIntegerSoftmax>(GraphMaker& m) {
  const int x = bytes(m);
  const bool by_shifts = m.chance(50);
  std::vector<int32_t> terms(256), shifts(256);
  for (int d = 0; d < 256; ++d) {
    const int shift = std::min(d / 32, 31);
    shifts[static_cast<size_t>(d)] = shift;
    terms[static_cast<size_t>(d)] =
        by_shifts ? 256 >> shift : static_cast<int32_t>(20000 * std::exp(-d / 40.0)) + 1;
  }
  const int y = m.result(m.tensor(x).shape, {{1}, {-128}, 0});
  m.op(OperatorKind::kIntegerSoftmax,
       {x, m.integers(terms), by_shifts ? m.integers(shifts) : -1,
        m.integer(by_shifts ? 255 * 256 : 255)},
       {y});
}

template <>
void grow<OperatorKind::kIntegerNorm>(GraphMaker& m) {
  const int x = bytes_or_sums(m);
  const auto depth = static_cast<size_t>(m.tensor(x).shape.back());
  const bool centred = m.chance(50);
  const int weights = numbers(m, depth, -500, 500);
  const int bias = centred || m.chance(30) ? numbers(m, depth, -900, 900) : -1;
  const int rules = m.integers({m.between(0, 9), centred ? 1 : 0});
  const int y = m.result(m.tensor(x).shape, {{1}, {0}, 0});
  m.op(OperatorKind::kIntegerNorm, {x, weights, bias, rules}, {y});
}

template <>
void grow<OperatorKind::kIntegerReduceSum>(GraphMaker& m) {
  grow_reduction(m, OperatorKind::kIntegerReduceSum, false);
}
template <>
void grow<OperatorKind::kIntegerReduceMean>(GraphMaker& m) {
  grow_reduction(m, OperatorKind::kIntegerReduceMean, true);
}
template <>
void grow<OperatorKind::kIntegerReduceMax>(GraphMaker& m) {
  grow_reduction(m, OperatorKind::kIntegerReduceMax, true);
}
template <>
void grow<OperatorKind::kIntegerReduceMin>(GraphMaker& m) {
  grow_reduction(m, OperatorKind::kIntegerReduceMin, true);
}

}  // namespace tinytune::bench
