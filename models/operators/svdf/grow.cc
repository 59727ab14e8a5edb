// Adds SVDF to a random graph.
#include "tests/random_graphs/grow.h"

#include <cmath>

#include "tests/random_graphs/operands.h"

namespace tinytune::bench {

template <>
void grow<OperatorKind::kSvdf>(GraphMaker& m) {
  const auto fits = [&](const Tensor& t) {
    return t.shape.size() == 2 && t.shape[0] <= 4 && is_moderate(t.quantization.scales[0]);
  };
  const int x = m.source(fits, [&] { return Shape{m.between(1, 3), m.between(1, 40)}; });
  if (m.is_known(x)) return grow<OperatorKind::kTanh>(m);  // which import refuses
  const Shape in = m.tensor(x).shape;
  const int rank = m.between(1, 3), units = m.between(1, 8), memory = m.between(1, 9);
  const int filters = rank * units;
  const bool wide = m.chance(60);
  const ElementType type = wide ? ElementType::kInt16 : ElementType::kInt8;
  const auto scale = [](double value) { return std::vector<float>{static_cast<float>(value)}; };
  const double feature_scale = std::exp2(m.uniform(-9, -5));
  const double filled = scale_of(m, x) * feature_scale * 74 * 74 * std::sqrt(in[1]);
  const double state_scale = filled / (wide ? 32768 : 128) * std::exp2(m.uniform(-2, 3));
  const double time_scale = wide ? 1.0 / 32768 : 1.0 / 128;
  const int feature = m.random_constant({filters, in[1]}, {scale(feature_scale), {0}, 0});
  const int time = m.random_constant(type, {filters, memory}, {scale(time_scale), {0}, 0});
  std::vector<int32_t> biases;
  for (int i = 0; i < units; ++i) biases.push_back(m.between(-100000, 100000));
  const float bias_scale = static_cast<float>(state_scale) * static_cast<float>(time_scale);
  const int bias = narrow_bias(m, biases, {{bias_scale}, {0}, 0});
  const int zero_point = wide ? 0 : m.between(-128, 127);
  const int state =
      m.variable(type, {in[0], memory * filters}, {scale(state_scale), {zero_point}, 0});
  const int y = m.result({in[0], units}, m.scaled_to(filled / 60 * std::sqrt(memory * rank)));
  m.op(OperatorKind::kSvdf, {x, feature, time, bias, state}, {y}, SvdfAttributes{rank});
}

}  // namespace tinytune::bench
