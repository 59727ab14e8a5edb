// ADD, SUB, MUL, MAXIMUM, MINIMUM: two operands that may repeat along axes, be constants, or be the
// same tensor twice.
#include <algorithm>
#include <cmath>

#include "bench/random_graphs/grow.h"

namespace tinytune::bench {
namespace {

// Shorter, or with axes of extent 1: what repeats along `shape`.
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

bool joins(const GraphMaker& m, const Shape& a, const Shape& b) {
  for (size_t i = 1; i <= std::min(a.size(), b.size()); ++i) {
    const int p = a[a.size() - i], q = b[b.size() - i];
    if (p != q && p != 1 && q != 1) return false;
  }
  return elements_of(joined(a, b)) <= m.most_elements();
}

// Both operands, in either order. `equal_scales`: the second is quantised as the first.
std::vector<int> operands(GraphMaker& m, bool equal_scales) {
  const auto moderate = [](const Tensor& t) { return is_moderate(t.quantization.scales[0]); };
  const int a = m.source(moderate, [&] { return m.shape(); });
  const Tensor first = m.tensor(a);
  const auto q = [&] { return equal_scales ? first.quantization : m.quantization(); };
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
        return is_int8(t) && moderate(t) && joins(m, first.shape, t.shape) &&
               (!equal_scales || (t.quantization.scales == first.quantization.scales &&
                                  t.quantization.zero_points == first.quantization.zero_points));
      });
      if (b < 0) b = m.fresh(first.shape, q());
  }
  if (m.chance(5)) {  // each repeats along the other
    Shape outer = first.shape;
    outer.insert(outer.begin(), 1);
    outer.front() = 2;
    outer.back() = 1;
    if (outer.size() <= kHighestRank && joins(m, first.shape, outer)) b = m.fresh(outer, q());
  }
  return m.chance(50) ? std::vector<int>{a, b} : std::vector<int>{b, a};
}

Shape result_shape(const GraphMaker& m, const std::vector<int>& inputs) {
  return joined(m.tensor(inputs[0]).shape, m.tensor(inputs[1]).shape);
}

double scale_of(const GraphMaker& m, int id) { return m.tensor(id).quantization.scales[0]; }

void grow_sum(GraphMaker& m, OperatorKind kind) {
  const std::vector<int> inputs = operands(m, false);
  const double larger = std::max(scale_of(m, inputs[0]), scale_of(m, inputs[1]));
  Quantization q = m.quantization();
  double factor = std::exp2(m.uniform(-2, 2));
  if (m.chance(10)) factor = 1;
  // TFLite refuses sums whose output multiplier reaches 1: twice the larger scale over 2^20 of the
  // output's.
  if (m.chance(8)) factor = std::exp2(m.uniform(-18, -10));
  if (m.chance(8)) factor = std::exp2(m.uniform(4, 20));
  q.scales[0] = static_cast<float>(larger * factor);
  const int y = m.result(result_shape(m, inputs), q);
  m.op(kind, inputs, {y}, ActivationAttributes{m.activation_function()});
}

void grow_extremum(GraphMaker& m, OperatorKind kind) {
  const std::vector<int> inputs = operands(m, true);
  const int y = m.result(result_shape(m, inputs), m.tensor(inputs[0]).quantization);
  m.op(kind, inputs, {y});
}

}  // namespace

template <>
void grow<OperatorKind::kAdd>(GraphMaker& m) {
  grow_sum(m, OperatorKind::kAdd);
}

template <>
void grow<OperatorKind::kSub>(GraphMaker& m) {
  grow_sum(m, OperatorKind::kSub);
}

template <>
void grow<OperatorKind::kMul>(GraphMaker& m) {
  const std::vector<int> inputs = operands(m, false);
  const Quantization q = m.scaled_to(scale_of(m, inputs[0]) * scale_of(m, inputs[1]) * 80);
  const int y = m.result(result_shape(m, inputs), q);
  m.op(OperatorKind::kMul, inputs, {y}, ActivationAttributes{m.activation_function()});
}

template <>
void grow<OperatorKind::kMaximum>(GraphMaker& m) {
  grow_extremum(m, OperatorKind::kMaximum);
}

template <>
void grow<OperatorKind::kMinimum>(GraphMaker& m) {
  grow_extremum(m, OperatorKind::kMinimum);
}

}  // namespace tinytune::bench
