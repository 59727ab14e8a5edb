// Adds functions of one value to a random graph.
#include "tests/random_graphs/grow.h"

#include <cmath>

#include "tests/random_graphs/operands.h"

namespace tinytune::bench {
namespace {

// TFLite's fixed-point forms of the sigmoid functions take no scale outside this.
int sigmoid_source(GraphMaker& m) {
  const float most = m.is_wide() ? 2.6F : 0x1p20F;
  return m.source(
      [&](const Tensor& t) {
        return t.quantization.scales[0] > 0x1p-26F && t.quantization.scales[0] < most;
      },
      [&] { return m.shape(); });
}

// Quantisation of int16 with 15 fraction bits.
const Quantization kWideUnit{{1.0F / 32768}, {0}, 0};

}  // namespace

template <>
void grow<OperatorKind::kRelu>(GraphMaker& m) {
  const int x = m.source();
  // With equal scales it only clamps, and may be fused into the operator that computes its input.
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

namespace {

using K = OperatorKind;

}  // namespace

template <>
void grow<K::kLogicalNot>(GraphMaker& m) {
  const int x = typed(m, ElementType::kBool);
  const int y = like(m, x, m.tensor(x).shape);
  m.op(K::kLogicalNot, {x}, {y});
}

}  // namespace tinytune::bench
