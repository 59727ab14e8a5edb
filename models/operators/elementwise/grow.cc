// Adds ADD, SUB, MUL, MAXIMUM or MINIMUM to a random graph. Operands may be broadcast, constants,
// or the same tensor twice.
#include "tests/random_graphs/grow.h"

#include <algorithm>
#include <cmath>

#include "tests/random_graphs/operands.h"

namespace tinytune::bench {
namespace {

// Now and then adds the operator on int32; false: the caller adds a quantised one.
bool grow_raw(GraphMaker& m, OperatorKind kind, Attributes attributes) {
  if (m.is_wide() || !m.chance(12)) return false;
  const std::vector<int> inputs = plain_operands(m, ElementType::kInt32);
  const int y = m.result(ElementType::kInt32, result_shape(m, inputs), {});
  m.op(kind, inputs, {y}, std::move(attributes));
  return true;
}

void grow_sum(GraphMaker& m, OperatorKind kind) {
  if (grow_raw(m, kind, ActivationAttributes{m.activation_function()})) return;
  const std::vector<int> inputs = operands(m, false);
  const double larger = std::max(scale_of(m, inputs[0]), scale_of(m, inputs[1]));
  Quantization q = m.quantization();
  double factor = std::exp2(m.uniform(-2, 2));
  if (m.chance(10)) factor = 1;
  // TFLite refuses sums whose output multiplier reaches 1: twice the larger scale over 2^20 (of
  // int16: 2^15) of the output's.
  if (m.chance(8)) factor = std::exp2(m.uniform(-18, -10) + (m.is_wide() ? 5 : 0));
  if (m.chance(8)) factor = std::exp2(m.uniform(4, 20));
  q.scales[0] = static_cast<float>(larger * factor);
  const int y = m.result(result_shape(m, inputs), q);
  m.op(kind, inputs, {y}, ActivationAttributes{m.activation_function(m.tensor(y).quantization)});
}

void grow_extremum(GraphMaker& m, OperatorKind kind) {
  if (grow_raw(m, kind, {})) return;
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
  if (grow_raw(m, OperatorKind::kMul, ActivationAttributes{m.activation_function()})) return;
  const std::vector<int> inputs = operands(m, false);
  const double fills = m.is_wide() ? 80 * 256 : 80;
  const Quantization q = m.scaled_to(scale_of(m, inputs[0]) * scale_of(m, inputs[1]) * fills);
  const int y = m.result(result_shape(m, inputs), q);
  m.op(OperatorKind::kMul, inputs, {y},
       ActivationAttributes{m.activation_function(m.tensor(y).quantization)});
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
