// Adds SOFTMAX to a random graph.
#include "tests/random_graphs/grow.h"

namespace tinytune::bench {

template <>
void grow<OperatorKind::kSoftmax>(GraphMaker& m) {
  // TFLite needs beta * scale * 2^26 above 1, and adds up to 4095 exponentials without overflow.
  // The kernel of int16 shifts differences left by 15 bits at most.
  const auto fits = [&](const Tensor& t) {
    const float scale = t.quantization.scales[0];
    return m.is_wide() ? scale < 0.4F : scale > 0x1p-22F && t.shape.back() < 4096;
  };
  const int x = m.source(fits, [&] { return m.shape(); });
  const bool widens = !m.is_wide() && m.chance(15);  // from int8 to int16
  Quantization q = {{1.0F / 256}, {-128}, 0};
  if (m.is_wide()) q = {{1.0F / 32768}, {0}, 0};
  if (widens) q = {{1.0F / 65536}, {-32768}, 0};
  const Shape shape = m.tensor(x).shape;
  const int y = widens ? m.result(ElementType::kInt16, shape, q) : m.result(shape, q);
  const float beta = m.one_of({1.0F, 1.0F, 0.5F, 2.0F, 0.1F, 10.0F});
  m.op(OperatorKind::kSoftmax, {x}, {y}, SoftmaxAttributes{beta});
  if (!widens || m.chance(50)) return;
  m.op(OperatorKind::kDequantize, {y}, {m.result(ElementType::kFloat32, shape, {})});
}

}  // namespace tinytune::bench
