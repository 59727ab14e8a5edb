// Adds QUANTIZE or DEQUANTIZE between int8, int16, int32, uint8 and float32 to a random graph.
#include "tests/random_graphs/grow.h"

#include <algorithm>
#include <cmath>

#include "tests/random_graphs/operands.h"

namespace tinytune::bench {
namespace {

// Adds QUANTIZE from int16, now and then with a zero point, to int8, int16 or int32.
void grow_rescale(GraphMaker& m) {
  const auto is_offset = [](const Tensor& t) {
    return t.type == ElementType::kInt16 && t.quantization.zero_points[0] != 0 &&
           is_moderate(t.quantization.scales[0]);
  };
  int x = m.chance(30) ? m.existing(is_offset) : -1;
  if (x < 0) x = m.source();
  const ElementType type = m.one_of({ElementType::kInt8, ElementType::kInt8, ElementType::kInt8,
                                     ElementType::kInt16, ElementType::kInt32});
  const double steps = type == ElementType::kInt8    ? 256
                       : type == ElementType::kInt16 ? 1
                                                     : std::exp2(m.uniform(-16, 0));
  const double scale = scale_of(m, x) * std::exp2(m.uniform(-3, 3)) * steps;
  int zero_point = 0;
  if (type == ElementType::kInt8) zero_point = m.between(-128, 127);
  if (type == ElementType::kInt16 && m.chance(50)) zero_point = m.between(-32768, 32767);
  if (type == ElementType::kInt32 && m.chance(50)) zero_point = m.between(-2000000, 2000000);
  const Quantization q{{static_cast<float>(scale)}, {zero_point}, 0};
  const int y = type == ElementType::kInt32 ? m.accumulator(m.tensor(x).shape, q)
                                            : m.result(type, m.tensor(x).shape, q);
  m.op(OperatorKind::kQuantize, {x}, {y});
}

// Adds QUANTIZE from int32 with an accumulator's scale to int8 or int16.
void grow_narrowing(GraphMaker& m) {
  const Quantization in{{static_cast<float>(std::exp2(m.uniform(-20, -5)))}, {m.between(-9, 9)}, 0};
  const int x = m.accumulator_input(m.shape(), in);
  const bool wide = m.chance(30);
  const Quantization q{{in.scales[0] * static_cast<float>(std::exp2(m.uniform(-6, 6)))},
                       {wide ? 0 : m.between(-128, 127)},
                       0};
  const int y = m.result(wide ? ElementType::kInt16 : ElementType::kInt8, m.tensor(x).shape, q);
  m.op(OperatorKind::kQuantize, {x}, {y});
}

Quantization as_unsigned(Quantization q) {
  q.zero_points[0] += 128;
  return q;
}

}  // namespace

template <>
void grow<OperatorKind::kQuantize>(GraphMaker& m) {
  if (m.is_wide()) return grow_rescale(m);
  if (m.chance(6)) return grow_narrowing(m);
  if (m.chance(25)) {  // float32 computed inside: int8 again
    const int x = m.existing([](const Tensor& t) { return t.type == ElementType::kFloat32; });
    if (x >= 0) return grow_map(m, OperatorKind::kQuantize, x, m.quantization());
  }
  const bool from_unsigned = m.chance(25), to_unsigned = m.chance(30);
  int x = -1;
  if (from_unsigned) {
    x = m.existing([](const Tensor& t) { return t.type == ElementType::kUint8; });
    if (x < 0) x = m.input(ElementType::kUint8, m.shape(), as_unsigned(m.quantization()));
  } else {
    x = m.source();
  }
  Quantization q = m.scaled_to(scale_of(m, x));
  if (m.chance(25)) q = m.tensor(x).quantization;  // only the type changes, or nothing
  const bool unsigned_already = m.tensor(x).type == ElementType::kUint8;
  const int low = to_unsigned ? 0 : -128;
  if (to_unsigned && !(unsigned_already && q.zero_points == m.tensor(x).quantization.zero_points))
    q.zero_points[0] += 128;
  q.zero_points[0] = std::clamp(q.zero_points[0], low, low + 255);
  const int y =
      m.result(to_unsigned ? ElementType::kUint8 : ElementType::kInt8, m.tensor(x).shape, q);
  m.op(OperatorKind::kQuantize, {x}, {y});
}

template <>
void grow<OperatorKind::kDequantize>(GraphMaker& m) {
  int x =
      m.chance(25) ? m.existing([](const Tensor& t) { return t.type == ElementType::kUint8; }) : -1;
  if (x < 0) x = m.source();
  const int y = m.result(ElementType::kFloat32, m.tensor(x).shape, {});
  m.op(OperatorKind::kDequantize, {x}, {y});
}

}  // namespace tinytune::bench
