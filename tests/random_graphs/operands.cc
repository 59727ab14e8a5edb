#include "tests/random_graphs/operands.h"

#include <algorithm>
#include <cstring>

namespace tinytune::bench {

int any_source(GraphMaker& m, const GraphMaker::Fits& fits,
               const std::function<Shape()>& otherwise) {
  if (m.chance(15)) {
    const int x = m.existing([&](const Tensor& t) { return !is_int8(t) && fits(t); });
    if (x >= 0) return x;
  }
  return m.source(fits, otherwise);
}

int any_source(GraphMaker& m) {
  return any_source(
      m, [](const Tensor&) { return true; }, [&] { return m.shape(); });
}

int like(GraphMaker& m, int x, Shape shape) {
  return m.result(m.tensor(x).type, std::move(shape), m.tensor(x).quantization);
}

int axis_number(GraphMaker& m, size_t axis, size_t rank) {
  return static_cast<int>(axis) - (m.chance(30) ? static_cast<int>(rank) : 0);
}

size_t random_axis(GraphMaker& m, const Shape& shape) {
  return static_cast<size_t>(m.between(0, static_cast<int>(shape.size()) - 1));
}

Shape with(Shape shape, size_t axis, int extent) {
  shape[axis] = extent;
  return shape;
}

Shape repeated(GraphMaker& m, const Shape& shape) {
  Shape result = shape;
  const int rank = static_cast<int>(shape.size());
  if (m.chance(50)) result.erase(result.begin(), result.begin() + m.between(0, rank - 1));
  for (int& extent : result)
    if (m.chance(40)) extent = 1;
  return result;
}

Shape joined(const Shape& a, const Shape& b) {
  Shape result = a.size() >= b.size() ? a : b;
  const Shape& shorter = a.size() >= b.size() ? b : a;
  for (size_t i = 1; i <= shorter.size(); ++i)
    result[result.size() - i] = std::max(result[result.size() - i], shorter[shorter.size() - i]);
  return result;
}

namespace {

bool joins(const GraphMaker& m, const Shape& a, const Shape& b) {
  for (size_t i = 1; i <= std::min(a.size(), b.size()); ++i) {
    const int p = a[a.size() - i], q = b[b.size() - i];
    if (p != q && p != 1 && q != 1) return false;
  }
  return elements_of(joined(a, b)) <= m.most_elements();
}

}  // namespace

std::vector<int> operands(GraphMaker& m, bool equal_scales, const GraphMaker::Fits& fits) {
  const auto moderate = [&](const Tensor& t) {
    return is_moderate(t.quantization.scales[0]) && fits(t);
  };
  const int a = m.source(moderate, [&] { return m.shape(); });
  const Tensor first = m.tensor(a);
  const auto q = [&] {
    Tensor wanted = first;
    do
      if (!equal_scales) wanted.quantization = m.quantization();
    while (!moderate(wanted));
    return wanted.quantization;
  };
  int b = -1;
  switch (m.between(0, 5)) {
    case 0:
      b = a;
      break;
    case 1:
      b = m.random_constant(repeated(m, first.shape), q());
      break;
    case 2:
      b = m.random_constant(first.shape, q());
      break;
    case 3:
      b = m.fresh(repeated(m, first.shape), q());
      break;
    default:
      b = m.existing([&](const Tensor& t) {
        return t.type == first.type && moderate(t) && joins(m, first.shape, t.shape) &&
               (!equal_scales || (t.quantization.scales == first.quantization.scales &&
                                  t.quantization.zero_points == first.quantization.zero_points));
      });
      if (b < 0) b = m.fresh(first.shape, q());
  }
  if (m.chance(5)) {  // both broadcast
    Shape outer = first.shape;
    outer.insert(outer.begin(), 1);
    outer.front() = 2;
    outer.back() = 1;
    if (outer.size() <= kHighestRank && joins(m, first.shape, outer)) b = m.fresh(outer, q());
  }
  return m.chance(50) ? std::vector<int>{a, b} : std::vector<int>{b, a};
}

int typed(GraphMaker& m, ElementType type, const GraphMaker::Fits& fits,
          const std::function<Shape()>& otherwise) {
  const int known =
      m.chance(80) ? m.existing([&](const Tensor& t) { return t.type == type && fits(t); }) : -1;
  return known >= 0 ? known : m.input(type, otherwise(), {});
}

int typed(GraphMaker& m, ElementType type) {
  return typed(
      m, type, [](const Tensor& t) { return !t.shape.empty(); }, [&] { return m.shape(); });
}

std::vector<int> plain_operands(GraphMaker& m, ElementType type) {
  const int a = typed(m, type);
  const Shape shape = m.tensor(a).shape;
  const Shape other = m.chance(50) ? shape : repeated(m, shape);
  const auto fits = [&](const Tensor& t) { return t.shape == other; };
  int b = -1;
  if (type == ElementType::kInt32 && m.chance(40)) {
    std::vector<int32_t> values(static_cast<size_t>(elements_of(other)));
    for (int32_t& value : values) value = m.between(-3, 20);
    b = m.integers(other, values);
  } else {
    b = typed(m, type, fits, [&] { return other; });
  }
  return m.chance(50) ? std::vector<int>{a, b} : std::vector<int>{b, a};
}

Shape result_shape(const GraphMaker& m, const std::vector<int>& inputs) {
  return joined(m.tensor(inputs[0]).shape, m.tensor(inputs[1]).shape);
}

double scale_of(const GraphMaker& m, int id) { return m.tensor(id).quantization.scales[0]; }

int narrow_bias(GraphMaker& m, const std::vector<int32_t>& bias, Quantization quantization) {
  std::vector<uint8_t> data(bias.size() * sizeof(int32_t));
  std::memcpy(data.data(), bias.data(), data.size());
  return m.constant(ElementType::kInt32, {static_cast<int>(bias.size())}, std::move(quantization),
                    std::move(data));
}

int wide_bias(GraphMaker& m, const std::vector<int32_t>& bias, Quantization quantization) {
  std::vector<int64_t> wide;
  for (const int32_t value : bias)
    wide.push_back(int64_t{value} * (m.chance(3) ? 1 << 14 : 1 << 8));
  std::vector<uint8_t> data(wide.size() * sizeof(int64_t));
  std::memcpy(data.data(), wide.data(), data.size());
  return m.constant(ElementType::kInt64, {static_cast<int>(wide.size())}, std::move(quantization),
                    std::move(data));
}

Reduced reduced(GraphMaker& m, const Shape& in) {
  const int rank = static_cast<int>(in.size());
  std::vector<bool> gone(in.size(), false);
  std::vector<int32_t> axes;
  const bool keep = rank == 1 || m.chance(50);
  for (int axis = 0; axis < rank; ++axis) {
    // Without keep_dims one axis must remain: the result would be a scalar otherwise.
    const bool last_chance = static_cast<int>(axes.size()) == rank - 1 && !keep;
    if (last_chance || !m.chance(50)) continue;
    gone[static_cast<size_t>(axis)] = true;
    axes.push_back(m.chance(30) ? axis - rank : axis);
  }
  if (axes.empty()) axes.push_back(0), gone[0] = true;
  if (axes.size() > 1 && m.chance(30)) std::reverse(axes.begin(), axes.end());
  Shape out;
  for (size_t axis = 0; axis < in.size(); ++axis)
    if (!gone[axis] || keep) out.push_back(gone[axis] ? 1 : in[axis]);
  return {m.integers(axes), out, keep};
}

void grow_map(GraphMaker& m, OperatorKind kind, int x, const Quantization& q,
              Attributes attributes) {
  const int y = m.result(m.tensor(x).shape, q);
  m.op(kind, {x}, {y}, std::move(attributes));
}

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

}  // namespace tinytune::bench
