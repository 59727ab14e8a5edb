// Adds CONV_2D, DEPTHWISE_CONV_2D, FULLY_CONNECTED or TRANSPOSE_CONV to a random graph: weights,
// biases, and scales that reach every case of the requantisation.
#include "tests/random_graphs/grow.h"

#include <algorithm>
#include <cmath>

#include "models/quantise.h"
#include "tests/random_graphs/operands.h"

namespace tinytune::bench {
namespace {

// The facts of a layer that its weights, bias and scales depend on.
struct Layer {
  Shape weights;
  int channel_axis = 0;
  int channels = 1;
  int64_t reduction = 1;  // terms of one output's sum
  float input_scale = 1;
  bool may_be_packed = true;  // as int4
  bool is_plain = false;      // with the scales of a trained network
  bool is_dense = false;      // int4 weights have one scale
};

struct Constants {
  int weights = -1, bias = -1;
  Quantization output;
};

std::vector<uint8_t> random_weights(GraphMaker& m, const Layer& layer, int reach, bool packed) {
  std::vector<uint8_t> data(static_cast<size_t>(elements_of(layer.weights)));
  const int zeros = m.one_of({0, 0, 0, 30, 85});  // percent
  const bool lowest = m.chance(10);               // -128 is legal, converters only avoid it
  for (uint8_t& byte : data) {
    int value = m.chance(zeros) ? 0 : m.between(-reach, reach);
    if (lowest && (packed || reach == 127) && m.chance(5)) value = packed ? -8 : -128;
    byte = static_cast<uint8_t>(value);
  }
  if (!m.chance(10)) return data;
  // One channel of zeros.
  const int dead = m.between(0, layer.channels - 1);
  const size_t inner =
      layer.channel_axis == 0 ? data.size() / static_cast<size_t>(layer.channels) : 1;
  for (size_t i = 0; i < data.size(); ++i)
    if (i / inner % static_cast<size_t>(layer.channels) == static_cast<size_t>(dead)) data[i] = 0;
  return data;
}

// Returns a channel's real multiplier around `natural`, which makes the outputs fill int8.
double random_multiplier(GraphMaker& m, double natural, bool ordinary) {
  if (ordinary || m.chance(50)) return natural * std::exp2(m.uniform(-1.5, 1.5));
  switch (m.between(0, 5)) {
    case 0:
      return std::exp2(m.uniform(-45, -32));  // multiplier 0
    case 1:
      return std::exp2(m.uniform(-31, -20));  // the longest shifts
    case 2:
      return m.uniform(0.5, 1);  // shift 0
    case 3:
      return std::exp2(m.uniform(0, m.is_wide() ? 6 : 10));  // left shifts
    case 4:
      return std::exp2(m.between(-20, 3));  // powers of two: every half is a tie
    default:
      return 1 - std::exp2(-m.between(8, 30));  // a multiplier that rounds up to the next power
  }
}

Constants random_constants(GraphMaker& m, const Layer& layer) {
  const int reach = m.one_of({127, 127, 127, 40, 7, 1});
  // The spread of a sum of `reduction` products of values that use their ranges.
  const double amplitude = std::sqrt(static_cast<double>(layer.reduction)) * 74 * reach * 0.58 + 1;
  const double natural = 60 / amplitude;
  const bool ordinary = layer.is_plain || m.chance(75);
  const bool per_channel = m.chance(65);
  // Percentage of channels whose outputs are the same for every input.
  const int pruned = layer.is_plain ? 0 : m.one_of({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 30, 70, 100});
  Constants c;
  c.output = m.quantization();
  const double unit = double{c.output.scales[0]} / double{layer.input_scale};
  Quantization q{{}, {}, layer.channel_axis};
  std::vector<double> multipliers;
  for (int i = 0; i < layer.channels; ++i) {
    const bool drawn = i == 0 || per_channel;
    multipliers.push_back(drawn ? random_multiplier(m, natural, ordinary) : multipliers[0]);
    if (drawn && m.chance(pruned)) multipliers.back() = std::exp2(-40);
    if (drawn) q.scales.push_back(static_cast<float>(multipliers.back() * unit));
  }
  q.zero_points.assign(q.scales.size(), 0);
  const bool packed = reach <= 7 && layer.may_be_packed && !m.is_wide() &&
                      !(layer.is_dense && q.per_channel()) && m.chance(60);
  c.weights = m.constant(packed ? ElementType::kInt4 : ElementType::kInt8, layer.weights, q,
                         random_weights(m, layer, reach, packed));
  if (m.chance(20)) return c;  // no bias

  std::vector<int32_t> bias;
  for (int i = 0; i < layer.channels; ++i) {
    const double wanted = m.uniform(-2, 2) * amplitude;
    int32_t value = static_cast<int32_t>(std::clamp(wanted, -1e9, 1e9));
    // Pruned channels: converters leave a huge bias if the scale is almost zero.
    const bool dead = multipliers[static_cast<size_t>(i)] < std::exp2(-31);
    if (m.chance(dead ? 50 : (ordinary ? 1 : 4))) value = m.one_of({1 << 30, -(1 << 30)});
    if (!dead && m.chance(pruned)) value = static_cast<int32_t>(-30 * amplitude);
    bias.push_back(value);
  }
  Quantization units{{}, q.zero_points, 0};
  for (const float scale : q.scales) units.scales.push_back(layer.input_scale * scale);
  c.bias = m.is_wide() ? wide_bias(m, bias, units) : narrow_bias(m, bias, units);
  return c;
}

int random_filter(GraphMaker& m, int extent) {
  if (m.chance(12)) return extent + m.between(0, 3);  // up to more than all of the input
  if (m.chance(5)) return m.between(8, 20);
  return m.one_of({1, 1, 2, 3, 3, 3, 4, 5, 7});
}

// Fits one axis of a window: with VALID, reduces filter and dilation to the input's extent.
void fit(Padding padding, int extent, int& filter, int& dilation) {
  if (padding == Padding::kSame) return;
  filter = std::min(filter, extent);
  while ((filter - 1) * dilation + 1 > extent) --dilation;
}

int divisor(GraphMaker& m, int of) {
  std::vector<int> divisors;
  for (int d = 2; d <= of; ++d)
    if (of % d == 0) divisors.push_back(d);
  return divisors.empty()
             ? 1
             : divisors[static_cast<size_t>(m.between(0, static_cast<int>(divisors.size()) - 1))];
}

void grow_convolution(GraphMaker& m, bool depthwise) {
  const int x = m.source(is_rank_4, [&] { return m.shape(4); });
  const Shape in = m.tensor(x).shape;
  ConvAttributes a;
  a.padding = m.one_of({Padding::kSame, Padding::kValid});
  a.activation = m.activation_function();
  a.stride_h = m.one_of({1, 1, 1, 2, 3}), a.stride_w = m.chance(70) ? a.stride_h : m.between(1, 4);
  if (m.chance(25)) a.dilation_h = m.between(1, 3), a.dilation_w = m.between(1, 3);
  int kernel_h = random_filter(m, in[1]);
  int kernel_w = m.chance(60) ? kernel_h : random_filter(m, in[2]);
  if (m.chance(12)) (m.chance(50) ? kernel_h : kernel_w) = 1;
  if (m.chance(25)) kernel_h = kernel_w = 1;
  const bool plain = m.chance(25);  // for fast algorithms: 3x3 or 1x1, no strides or dilations
  if (plain) kernel_h = kernel_w = depthwise || m.chance(60) ? 3 : 1;
  if (plain) a.stride_h = a.stride_w = a.dilation_h = a.dilation_w = 1;
  fit(a.padding, in[1], kernel_h, a.dilation_h);
  fit(a.padding, in[2], kernel_w, a.dilation_w);

  int groups = 1, channels = 0;
  if (depthwise) {
    const int multiplier = plain ? 1 : m.one_of({1, 1, 1, 1, 2, 3, 4, 8});
    channels = in[3] * multiplier;
    a.depth_multiplier = m.chance(90) ? multiplier : 0;
  } else {
    groups = !plain && m.chance(20) ? divisor(m, in[3]) : 1;
    channels = groups * m.one_of({1, 2, 3, 4, 5, 7, 8, 12, 16, 24, 64});
  }
  // Limits weights: those of large windows, packed, exceed the memory of small devices.
  if (int64_t{kernel_h} * kernel_w * in[3] / groups * channels > 16384) kernel_h = kernel_w = 1;
  const auto rows = [&] {
    return window_of(a.padding, in[1], kernel_h, a.stride_h, a.dilation_h).extent;
  };
  const auto columns = [&] {
    return window_of(a.padding, in[2], kernel_w, a.stride_w, a.dilation_w).extent;
  };
  const int64_t fan_in = depthwise ? 1 : in[3] / groups;
  const auto outputs = [&] { return int64_t{in[0]} * rows() * columns() * channels; };
  const auto too_large = [&] {
    return outputs() > m.most_elements() ||
           outputs() * kernel_h * kernel_w * fan_in > m.most_macs();
  };
  while (too_large()) {
    const int step = depthwise ? in[3] : groups;
    if (channels > step)
      channels = std::max(step, channels / step / 2 * step);
    else if (kernel_h * kernel_w > 9)
      kernel_h = std::max(1, kernel_h / 2), kernel_w = std::max(1, kernel_w / 2);
    else
      ++a.stride_h, ++a.stride_w;
  }
  if (depthwise && a.depth_multiplier != 0) a.depth_multiplier = channels / in[3];

  Layer layer{{channels, kernel_h, kernel_w, static_cast<int>(fan_in)},
              0,
              channels,
              fan_in * kernel_h * kernel_w,
              m.tensor(x).quantization.scales[0]};
  layer.is_plain = plain;
  if (depthwise) layer.weights = {1, kernel_h, kernel_w, channels}, layer.channel_axis = 3;
  a.int32_sums = !depthwise && m.is_wide() && m.chance(50);
  const Constants c = random_constants(m, layer);
  const int y = m.result({in[0], rows(), columns(), channels}, c.output);
  std::vector<int> inputs = {x, c.weights, c.bias};
  if (c.bias < 0 && m.chance(50)) inputs.pop_back();  // absent, or not even mentioned
  m.op(depthwise ? OperatorKind::kDepthwiseConv2d : OperatorKind::kConv2d, inputs, {y}, a);
}

// Adds a dense layer on rows of x whose weights, and sometimes bias, are computed.
void grow_computed_dense(GraphMaker& m, int x) {
  const Shape in = m.tensor(x).shape;
  const int columns = in.back(), rows = static_cast<int>(elements_of(in) / columns);
  const int64_t most = m.most_elements() / std::max(rows, columns);
  const int channels =
      static_cast<int>(std::clamp<int64_t>(m.between(1, 9), 1, std::max<int64_t>(1, most)));
  const bool wide = m.is_wide();
  const double natural = 1 / (74 * 74 * 0.58 * std::sqrt(static_cast<double>(columns)));
  Quantization output = m.quantization(), q = output;
  q.scales[0] = static_cast<float>(output.scales[0] * 60 * natural *
                                   std::exp2(m.uniform(-1.5, 1.5)) / scale_of(m, x));
  q.zero_points[0] = m.is_alone() || m.chance(60) ? 0 : m.between(-128, 127);
  m.set_wide(false);
  const int w = m.fresh({channels, columns}, q);
  m.set_wide(wide);
  std::vector<int> inputs = {x, w};
  const Quantization units{{m.tensor(x).quantization.scales[0] * q.scales[0]}, {0}, 0};
  std::vector<int32_t> bias(static_cast<size_t>(channels));
  for (int32_t& value : bias) value = m.between(-50000, 50000);
  if (m.chance(30))
    inputs.push_back(m.accumulator_input({channels}, units));
  else if (m.chance(60))
    inputs.push_back(wide ? wide_bias(m, bias, units) : narrow_bias(m, bias, units));
  const int y = m.result({rows, channels}, output);
  m.op(OperatorKind::kFullyConnected, inputs, {y},
       ActivationAttributes{m.activation_function(), wide && m.chance(50)});
}

}  // namespace

template <>
void grow<OperatorKind::kConv2d>(GraphMaker& m) {
  grow_convolution(m, false);
}

template <>
void grow<OperatorKind::kDepthwiseConv2d>(GraphMaker& m) {
  grow_convolution(m, true);
}

template <>
void grow<OperatorKind::kFullyConnected>(GraphMaker& m) {
  const int x = m.source();
  if (m.chance(10) && is_moderate(scale_of(m, x))) return grow_computed_dense(m, x);
  const Shape in = m.tensor(x).shape;
  const auto elements = static_cast<int>(elements_of(in));
  // The input is read flat: rows of the last axis, all of it as one row, or anything between.
  const bool keep_axes = m.chance(20);
  const int columns = keep_axes || m.chance(50) ? in.back()
                      : m.chance(60)            ? elements
                                                : divisor(m, elements);
  const int rows = elements / columns;
  // Weights of several such layers have to fit the flash of every device.
  const int64_t most = std::min(m.most_elements() / rows, m.most_macs() / elements);
  const int channels = static_cast<int>(std::clamp<int64_t>(
      m.one_of({1, 2, 3, 4, 5, 8, 10, 12, 16, 24, 33, 128}), 1, std::max<int64_t>(1, most)));
  Layer layer{{channels, columns}, 0, channels, columns, m.tensor(x).quantization.scales[0]};
  layer.is_dense = true;
  const Constants c = random_constants(m, layer);
  Shape out = {rows, channels};
  if (keep_axes) out = in, out.back() = channels;
  const int y = m.result(out, c.output);
  std::vector<int> inputs = {x, c.weights, c.bias};
  if (c.bias < 0 && m.chance(50)) inputs.pop_back();
  m.op(OperatorKind::kFullyConnected, inputs, {y},
       ActivationAttributes{m.activation_function(), m.is_wide() && m.chance(50)});
}

template <>
void grow<OperatorKind::kTransposeConv>(GraphMaker& m) {
  const auto fits = [](const Tensor& t) { return is_rank_4(t) && elements_of(t.shape) <= 600; };
  const int x = m.source(fits, [&] { return m.shape(4); });
  const Shape in = m.tensor(x).shape;
  TransposeConvAttributes a;
  a.padding = m.one_of({Padding::kSame, Padding::kValid});
  a.stride_h = m.one_of({1, 1, 2, 3}), a.stride_w = m.chance(70) ? a.stride_h : m.between(1, 3);
  a.activation = m.activation_function();
  const int kernel_h = m.one_of({1, 2, 3, 3, 4, 5}), kernel_w = m.one_of({1, 2, 3, 3, 4, 5});
  // Returns an output extent from which a convolution of this stride would give the input's.
  const auto extent = [&](int input, int stride, int kernel) {
    const int rest = m.between(0, stride - 1);
    if (a.padding == Padding::kSame) return input * stride - rest;
    return (input - 1) * stride + kernel + rest;
  };
  const int out_h = extent(in[1], a.stride_h, kernel_h);
  const int out_w = extent(in[2], a.stride_w, kernel_w);
  const int64_t taps = elements_of(in) * kernel_h * kernel_w;
  const int64_t pixels = int64_t{in[0]} * out_h * out_w;
  const int most = static_cast<int>(std::max<int64_t>(
      1, std::min(m.most_macs() / taps, m.most_elements() / std::max<int64_t>(1, pixels))));
  const int channels = std::min(most, m.between(1, 9));
  const Layer layer{
      {channels, kernel_h, kernel_w, in[3]}, 0,    channels, int64_t{in[3]} * kernel_h * kernel_w,
      m.tensor(x).quantization.scales[0],    false};
  const Constants c = random_constants(m, layer);
  const Shape out = {in[0], out_h, out_w, channels};
  const int shape = m.integers({out.begin(), out.end()});
  const int y = m.result(out, c.output);
  std::vector<int> inputs = {shape, c.weights, x, c.bias};
  if (c.bias < 0 && m.chance(50)) inputs.pop_back();
  m.op(OperatorKind::kTransposeConv, inputs, {y}, a);
}

namespace {

// Returns whether weights and bias are constants. Computed ones cannot be shared: they may not be
// visible elsewhere, and no kernel has them.
bool has_constants(const GraphMaker& m, const Operator& op) {
  return std::all_of(op.inputs.begin() + 1, op.inputs.end(),
                     [&](int id) { return id < 0 || m.tensor(id).is_constant; });
}

}  // namespace

void grow_twin(GraphMaker& m) {
  std::vector<Operator> kernels;
  for (const Operator& op : m.operators())
    if ((op.kind == OperatorKind::kConv2d || op.kind == OperatorKind::kDepthwiseConv2d ||
         op.kind == OperatorKind::kFullyConnected) &&
        has_constants(m, op))
      kernels.push_back(op);
  if (kernels.empty()) return;
  Operator twin = kernels[static_cast<size_t>(m.between(0, static_cast<int>(kernels.size()) - 1))];
  const Tensor input = m.tensor(twin.inputs[0]), weights = m.tensor(twin.inputs[1]);
  const Tensor output = m.tensor(twin.outputs[0]);
  twin.inputs[0] = m.existing([&](const Tensor& t) {
    return t.type == input.type && t.shape == input.shape &&
           t.quantization.scales == input.quantization.scales &&
           t.quantization.zero_points == input.quantization.zero_points && t.id != input.id;
  });
  m.set_wide(input.type == ElementType::kInt16);
  if (twin.inputs[0] < 0) twin.inputs[0] = m.fresh(input.shape, input.quantization);
  m.set_wide(false);
  // The twin has own weights of the same scales, or the same tensor.
  if (m.chance(60))
    twin.inputs[1] = m.random_constant(ElementType::kInt8, weights.shape, weights.quantization);
  const int y = m.result(output.type, output.shape, output.quantization);
  m.op(twin.kind, twin.inputs, {y}, twin.attributes);
}

}  // namespace tinytune::bench
