// Functions of one value: activations, and QUANTIZE and DEQUANTIZE between int8, int16, int32,
// uint8 and float32.
#include <algorithm>
#include <cmath>

#include "tests/random_graphs/grow.h"
#include "tests/random_graphs/operands.h"

namespace tinytune::bench {
namespace {

void grow_map(GraphMaker& m, OperatorKind kind, int x, const Quantization& q,
              Attributes attributes = {}) {
  const int y = m.result(m.tensor(x).shape, q);
  m.op(kind, {x}, {y}, std::move(attributes));
}

// TFLite's fixed-point forms of the sigmoid functions take no scale outside this.
int sigmoid_source(GraphMaker& m) {
  const float most = m.is_wide() ? 2.6F : 0x1p20F;
  return m.source(
      [&](const Tensor& t) {
        return t.quantization.scales[0] > 0x1p-26F && t.quantization.scales[0] < most;
      },
      [&] { return m.shape(); });
}

// Of what has 15 fraction bits in int16.
const Quantization kWideUnit{{1.0F / 32768}, {0}, 0};

// QUANTIZE from int16, now and then with a zero point: to int8, to itself or to int32.
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

// From int32, of an accumulator's scale; to int8 or int16.
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
void grow<OperatorKind::kRelu>(GraphMaker& m) {
  const int x = m.source();
  // With equal scales it only clamps, and may become part of what computes its input.
  const bool clamps = m.chance(40);
  grow_map(m, OperatorKind::kRelu, x,
           clamps ? m.tensor(x).quantization : m.scaled_to(scale_of(m, x)));
}

template <>
void grow<OperatorKind::kRelu6>(GraphMaker& m) {
  const int x = m.source();
  grow_map(m, OperatorKind::kRelu6, x, m.tensor(x).quantization);  // the kernel rescales nothing
}

template <>
void grow<OperatorKind::kLeakyRelu>(GraphMaker& m) {
  const int x = m.source();
  const float alpha = m.one_of({0.0F, 0.01F, 0.1F, 0.2F, 0.3F, 1.0F, 2.0F, 1e-12F, -0.5F});
  grow_map(m, OperatorKind::kLeakyRelu, x, m.scaled_to(scale_of(m, x)), LeakyReluAttributes{alpha});
}

template <>
void grow<OperatorKind::kHardSwish>(GraphMaker& m) {
  const int x = m.source(
      [](const Tensor& t) {
        return t.quantization.scales[0] > 0x1p-18F && t.quantization.scales[0] < 0x1p20F;
      },
      [&] { return m.shape(); });
  // TFLite needs in / 128 / out at most 1, and no shift beyond 15.
  Quantization q = m.quantization();
  q.scales[0] =
      static_cast<float>(scale_of(m, x) * std::exp2(m.uniform(m.chance(80) ? -2 : -6, 6)));
  grow_map(m, OperatorKind::kHardSwish, x, q);
}

template <>
void grow<OperatorKind::kLogistic>(GraphMaker& m) {
  const int x = sigmoid_source(m);
  grow_map(m, OperatorKind::kLogistic, x,
           m.is_wide() ? kWideUnit : Quantization{{1.0F / 256}, {-128}, 0});
}

template <>
void grow<OperatorKind::kTanh>(GraphMaker& m) {
  const int x = sigmoid_source(m);
  grow_map(m, OperatorKind::kTanh, x, m.is_wide() ? kWideUnit : Quantization{{1.0F / 128}, {0}, 0});
}

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

template <>
void grow<OperatorKind::kElu>(GraphMaker& m) {
  const int x = m.source();
  grow_map(m, OperatorKind::kElu, x, m.scaled_to(scale_of(m, x)));
}

template <>
void grow<OperatorKind::kGelu>(GraphMaker& m) {
  const int x = m.source();
  grow_map(m, OperatorKind::kGelu, x, m.scaled_to(scale_of(m, x)), GeluAttributes{m.chance(50)});
}

template <>
void grow<OperatorKind::kAbs>(GraphMaker& m) {
  const int x = m.source();
  Quantization q = m.scaled_to(scale_of(m, x));
  if (m.chance(40)) q.scales = m.tensor(x).quantization.scales;  // then nothing is rescaled
  grow_map(m, OperatorKind::kAbs, x, q);
}

template <>
void grow<OperatorKind::kRsqrt>(GraphMaker& m) {
  const int x = m.source();
  Quantization q = m.quantization();
  q.scales[0] = static_cast<float>(std::exp2(m.uniform(-9, 3)) / std::sqrt(scale_of(m, x)));
  grow_map(m, OperatorKind::kRsqrt, x, q);
}

}  // namespace tinytune::bench
