// Adds UNIDIRECTIONAL_SEQUENCE_LSTM to a random graph.
#include "tests/random_graphs/grow.h"

#include <cmath>

#include "tests/random_graphs/operands.h"

namespace tinytune::bench {

// Scales are near those of trained networks, so that gates are neither all open nor all closed.
template <>
void grow<OperatorKind::kUnidirectionalSequenceLstm>(GraphMaker& m) {
  const int x = m.source([](const Tensor& t) { return t.shape.size() == 3 && t.elements() <= 64; },
                         [&] {
                           return Shape{m.between(1, 2), m.between(1, 5), m.between(1, 8)};
                         });
  if (m.is_known(x)) return grow<OperatorKind::kTanh>(m);  // which import refuses
  const Shape in = m.tensor(x).shape;
  const bool time_major = m.chance(50);
  const int batch = in[time_major ? 1 : 0], units = m.between(1, 9);
  const auto quantised = [](double scale, int zero_point) {
    return Quantization{{static_cast<float>(scale)}, {zero_point}, 0};
  };
  const bool wide = m.is_wide();
  const int range = wide ? 256 : 1;  // of activations, relative to int8's
  const int zero_point = wide ? 0 : m.between(-128, 127);
  std::vector<int> inputs(24, -1);
  inputs[0] = x;
  for (size_t gate = 0; gate < 4; ++gate) {
    const double scale =
        std::exp2(m.uniform(-1, 3)) / (74 * 74 * range * scale_of(m, x) * std::sqrt(in[2]));
    inputs[1 + gate] = m.random_constant(ElementType::kInt8, {units, in[2]}, quantised(scale, 0));
    const double recurrent = std::exp2(m.uniform(-2, 2)) / (37 * std::sqrt(units));
    inputs[5 + gate] =
        m.random_constant(ElementType::kInt8, {units, units}, quantised(recurrent, 0));
    std::vector<int32_t> biases;
    for (int i = 0; i < units; ++i) biases.push_back(m.between(-30000, 30000));
    inputs[12 + gate] = wide ? wide_bias(m, biases) : m.integers(biases);
  }
  const Quantization hidden = quantised(1.0 / 128 / range, zero_point);
  inputs[18] = m.variable(wide ? ElementType::kInt16 : ElementType::kInt8, {batch, units}, hidden);
  inputs[19] =
      m.variable(ElementType::kInt16, {batch, units}, quantised(std::exp2(m.between(-15, -8)), 0));
  const int y = m.result({in[0], in[1], units}, hidden);
  const float clip = m.chance(30) ? static_cast<float>(m.uniform(0.3, 3)) : 0.0F;
  m.op(OperatorKind::kUnidirectionalSequenceLstm, inputs, {y}, LstmAttributes{clip, time_major});
}

}  // namespace tinytune::bench
