// Adds SQUARED_DIFFERENCE, PRELU, DIV, ADD_N or CUMSUM to a random graph.
#include "tests/random_graphs/grow.h"

#include <algorithm>
#include <cmath>

#include "tests/random_graphs/operands.h"

namespace tinytune::bench {

template <>
void grow<OperatorKind::kSquaredDifference>(GraphMaker& m) {
  const std::vector<int> inputs = operands(m, false);
  const double larger = std::max(scale_of(m, inputs[0]), scale_of(m, inputs[1]));
  const int y = m.result(result_shape(m, inputs), m.scaled_to(larger * larger * 80));
  m.op(OperatorKind::kSquaredDifference, inputs, {y});
}

template <>
void grow<OperatorKind::kDiv>(GraphMaker& m) {
  const std::vector<int> inputs = operands(m, false);
  const Quantization q = m.scaled_to(scale_of(m, inputs[0]) / scale_of(m, inputs[1]) / 40);
  const int y = m.result(result_shape(m, inputs), q);
  m.op(OperatorKind::kDiv, inputs, {y},
       ActivationAttributes{m.activation_function(m.tensor(y).quantization)});
}

template <>
void grow<OperatorKind::kPrelu>(GraphMaker& m) {
  const int x = m.source();
  const Shape shape = m.tensor(x).shape;
  const Shape slopes = m.chance(30) ? shape : repeated(m, shape);
  Quantization q = m.quantization();
  q.scales[0] = static_cast<float>(std::exp2(m.uniform(-12, -4)));
  const int alpha = m.chance(75) ? m.random_constant(slopes, q) : m.fresh(slopes, q);
  const int y = m.result(shape, m.scaled_to(scale_of(m, x)));
  m.op(OperatorKind::kPrelu, {x, alpha}, {y});
}

template <>
void grow<OperatorKind::kAddN>(GraphMaker& m) {
  const int x = m.source();
  const Tensor first = m.tensor(x);
  std::vector<int> inputs = {x};
  const int count = m.between(2, 5);
  while (static_cast<int>(inputs.size()) < count) {
    const bool constant = m.chance(20);
    inputs.push_back(m.chance(20) ? x
                     : constant   ? m.random_constant(first.shape, first.quantization)
                                  : m.fresh(first.shape, first.quantization));
  }
  Quantization q = m.quantization();
  q.scales[0] = static_cast<float>(scale_of(m, x) * std::exp2(m.uniform(-3, 4)));
  const int y = m.result(first.shape, q);
  m.op(OperatorKind::kAddN, inputs, {y});
}

template <>
void grow<OperatorKind::kCumsum>(GraphMaker& m) {
  const int x = m.source();
  const Shape shape = m.tensor(x).shape;
  const int axis = m.integer(axis_number(m, random_axis(m, shape), shape.size()));
  Quantization q = m.quantization();
  q.scales[0] = static_cast<float>(scale_of(m, x) * std::exp2(m.uniform(-3, 6)));
  const int y = m.result(shape, q);
  m.op(OperatorKind::kCumsum, {x, axis}, {y}, CumsumAttributes{m.chance(40), m.chance(40)});
}

}  // namespace tinytune::bench
