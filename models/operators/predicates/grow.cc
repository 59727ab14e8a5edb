// Adds comparisons, logic, SELECT_V2 or CAST to a random graph.
#include "tests/random_graphs/grow.h"

#include "tests/random_graphs/operands.h"

namespace tinytune::bench {
namespace {

using K = OperatorKind;

void grow_relation(GraphMaker& m, OperatorKind kind, const std::vector<ElementType>& types) {
  const ElementType type = types[static_cast<size_t>(
      m.chance(60) ? 0 : m.between(0, static_cast<int>(types.size()) - 1))];
  // TFLite compares in fixed point of scales below 1.
  const auto fine = [](const Tensor& t) { return t.quantization.scales[0] < 0.9F; };
  const std::vector<int> inputs =
      type == ElementType::kInt8 ? operands(m, m.chance(50), fine) : plain_operands(m, type);
  const int y = m.result(ElementType::kBool, result_shape(m, inputs), {});
  m.op(kind, inputs, {y});
}

constexpr ElementType kInt8 = ElementType::kInt8, kInt32 = ElementType::kInt32,
                      kBool = ElementType::kBool;

}  // namespace

template <>
void grow<K::kEqual>(GraphMaker& m) {
  grow_relation(m, K::kEqual, {kInt8, kInt32, kBool});
}
template <>
void grow<K::kNotEqual>(GraphMaker& m) {
  grow_relation(m, K::kNotEqual, {kInt8, kInt32, kBool});
}
template <>
void grow<K::kGreater>(GraphMaker& m) {
  grow_relation(m, K::kGreater, {kInt8, kInt32});
}
template <>
void grow<K::kGreaterEqual>(GraphMaker& m) {
  grow_relation(m, K::kGreaterEqual, {kInt8, kInt32});
}
template <>
void grow<K::kLess>(GraphMaker& m) {
  grow_relation(m, K::kLess, {kInt8, kInt32});
}
template <>
void grow<K::kLessEqual>(GraphMaker& m) {
  grow_relation(m, K::kLessEqual, {kInt8, kInt32});
}
template <>
void grow<K::kLogicalAnd>(GraphMaker& m) {
  grow_relation(m, K::kLogicalAnd, {kBool});
}
template <>
void grow<K::kLogicalOr>(GraphMaker& m) {
  grow_relation(m, K::kLogicalOr, {kBool});
}

template <>
void grow<K::kSelectV2>(GraphMaker& m) {
  const bool wide = m.chance(15);
  const std::vector<int> values = wide ? plain_operands(m, kInt32) : operands(m, true);
  const Shape shape = result_shape(m, values);
  const Shape wanted = m.chance(60) ? shape : repeated(m, shape);
  const int condition = typed(
      m, kBool, [&](const Tensor& t) { return t.shape == wanted; }, [&] { return wanted; });
  const int y = like(m, values[0], shape);
  m.op(K::kSelectV2, {condition, values[0], values[1]}, {y});
}

template <>
void grow<K::kCast>(GraphMaker& m) {
  const ElementType from = m.one_of({kInt8, kInt32, kBool, kBool});
  const int x = from == kInt8 ? m.source() : typed(m, from);
  const bool narrow = m.chance(60);
  const int y = m.result(narrow ? kInt8 : kInt32, m.tensor(x).shape, m.quantization());
  m.op(K::kCast, {x}, {y});
}

}  // namespace tinytune::bench
