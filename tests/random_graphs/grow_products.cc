// BATCH_MATMUL, SVDF and LSTM: sums of products that no kernel template computes, or not always.
#include <algorithm>
#include <cmath>

#include "tests/random_graphs/grow.h"
#include "tests/random_graphs/operands.h"

namespace tinytune::bench {
namespace {

bool is_matrix(const Tensor& t) {
  return t.shape.size() > 1 && is_moderate(t.quantization.scales[0]);
}

// A small matrix of batches, for the right side: `depth` rows.
Shape other_side(GraphMaker& m, const Shape& left, int depth, bool exchanged) {
  const int64_t rows = elements_of(left) / depth;
  const auto columns = static_cast<int>(
      std::clamp<int64_t>(m.most_elements() / std::max<int64_t>(rows, depth), 1, m.between(1, 9)));
  Shape right(left.begin(), left.end() - 2);
  if (m.chance(40)) right.clear();
  for (int& extent : right)
    if (m.chance(30)) extent = 1;
  right.push_back(exchanged ? columns : depth);
  right.push_back(exchanged ? depth : columns);
  return right;
}

}  // namespace

template <>
void grow<OperatorKind::kBatchMatMul>(GraphMaker& m) {
  BatchMatMulAttributes a{m.chance(30), m.chance(50)};
  const int x = m.source(is_matrix, [&] { return m.shape(m.between(2, kHighestRank)); });
  const Shape left = m.tensor(x).shape;
  const int depth = left[left.size() - (a.adj_x ? 2 : 1)];
  const int rows = left[left.size() - (a.adj_x ? 1 : 2)];
  const Shape right = other_side(m, left, depth, a.adj_y);
  const int columns = right[right.size() - (a.adj_y ? 2 : 1)];
  const auto fits = [&](const Tensor& t) {
    return is_int8(t) && t.shape == right && is_moderate(t.quantization.scales[0]);
  };
  Quantization q = m.quantization();
  if (m.chance(50)) q.zero_points[0] = 0;  // as weights have it
  int w = m.chance(40) ? m.existing(fits) : -1;
  if (w < 0) w = m.chance(50) ? m.random_constant(right, q) : m.fresh(right, q);
  Shape out(left.begin(), left.end() - 2);
  out.insert(out.end(), {rows, columns});
  const double natural = scale_of(m, x) * scale_of(m, w) * 80 * std::sqrt(depth);
  const int y = m.result(out, m.scaled_to(natural));
  m.op(OperatorKind::kBatchMatMul, {x, w}, {y}, a);
}

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

// Scales around what trained networks have, so that gates are neither all open nor all shut.
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
  const int range = wide ? 256 : 1;  // of activations, beside int8's
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
