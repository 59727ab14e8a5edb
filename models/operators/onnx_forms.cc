// ONNX's meaning of operators between DequantizeLinear and QuantizeLinear: scales in float32,
// halves to even, clamped (ADR 76). What is left for the device is integer all the same.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

#include "models/operators/elementwise.h"
#include "models/operators/operator_view.h"
#include "models/quantise.h"
#include "schedules/requantise.h"

namespace tinytune {
namespace {

// Far beyond any byte, and within an int.
int whole(float value) { return static_cast<int>(std::nearbyint(std::clamp(value, -1e6F, 1e6F))); }

struct Scale {
  float scale = 1;
  int zero = 0;
  explicit Scale(const Tensor& t)
      : scale(t.quantization.scales[0]), zero(t.quantization.zero_points[0]) {}
  float real(int x) const { return static_cast<float>(x - zero) * scale; }
  int quantised(float value) const { return whole(value / scale) + zero; }
};

Range clamp_of(const OperatorView& view, Activation activation) {
  const Scale out(view.output());
  Range range{-128, 127};
  if (activation == Activation::kRelu || activation == Activation::kRelu6)
    range.low = std::max(range.low, out.zero);
  if (activation == Activation::kRelu6) range.high = std::min(range.high, out.quantised(6));
  return range;
}

// A float32 scale as a multiplier and a shift, which hold all of its 24 bits.
Result<QuantizedMultiplier> exact_multiplier(const OperatorView& view, float scale) {
  if (!(scale > 0) || !(scale < static_cast<float>(kLargestMultiplier)))
    return view.unsupported(fmt::format("a scale of {}", scale));
  return quantize_multiplier(double{scale});
}

Result<IntegerOp> kernel_form(const OperatorView& view, Result<IntegerOp> prepared,
                              Activation activation) {
  TT_TRY_ASSIGN(IntegerOp form, std::move(prepared));
  auto& kernel = std::get<KernelOp>(form);
  const float in = view.input(0).quantization.scales[0];
  const float out = view.output().quantization.scales[0];
  const std::vector<float>& weights = view.input(1).quantization.scales;
  for (size_t c = 0; c < kernel.data.multiplier.size(); ++c) {
    const float scale = in * weights[weights.size() > 1 ? c : 0] / out;
    TT_TRY_ASSIGN(const QuantizedMultiplier m, exact_multiplier(view, scale));
    kernel.data.multiplier[c] = m.multiplier;
    kernel.data.shift[c] = m.shift;
  }
  const Range range = clamp_of(view, activation);
  if (range.low > range.high) return view.unsupported("its activation leaves no value");
  kernel.workload.activation_min = range.low;
  kernel.workload.activation_max = range.high;
  kernel.workload.rounding = Rounding::kHalfToEven;
  return form;
}

// The average of whole axes: (sum less zero points) * scale, the scale divided by the count.
Result<IntegerOp> mean_form(const OperatorView& view) {
  TT_TRY_ASSIGN(IntegerOp form, prepare_mean(view));
  auto& mean = std::get<MeanOp>(form);
  const int64_t count = view.input(0).elements() / view.output().elements();
  if (count * 255 >= 1 << 24) return view.unsupported("a sum that float32 cannot hold");
  const Scale in(view.input(0)), out(view.output());
  const float scale = in.scale / (out.scale * static_cast<float>(count));
  TT_TRY_ASSIGN(const QuantizedMultiplier m, exact_multiplier(view, scale));
  mean.bias = static_cast<int32_t>(-in.zero * count);
  mean.multiplier = m.multiplier;
  mean.shift = m.shift;
  mean.output_zero_point = out.zero;
  mean.rounding = Rounding::kHalfToEven;
  return form;
}

// Steps such that every pair of operands gets the float sum's byte, at this precision; false where
// two sums of one place round to different sides.
bool find_steps(SteppedAddOp& op, const std::function<int(int, int)>& wanted) {
  const int32_t one = 1 << op.shift;
  std::vector<int32_t> up(256, one), down(256, -1);
  for (int a = 0; a < 256; ++a)
    for (int b = 0; b < 256; ++b) {
      const int32_t y = op.terms[0][static_cast<size_t>(a)] + op.terms[1][static_cast<size_t>(b)];
      const int32_t k = y >> op.shift, fraction = y & (one - 1);
      const int want = wanted(a - 128, b - 128), more = want - k;
      if (k < op.activation_min - 1 || k > op.activation_max) continue;  // clamped in any case
      if (more < 0 || more > 1) return false;
      auto& limit = (more == 1 ? up : down)[static_cast<uint8_t>(k)];
      limit = more == 1 ? std::min(limit, fraction) : std::max(limit, fraction);
    }
  for (size_t k = 0; k < up.size(); ++k)
    if (down[k] >= up[k]) return false;
  op.steps = up;
  return true;
}

Result<IntegerOp> add_form(const OperatorView& view) {
  SteppedAddOp op;
  TT_TRY(read_operands(view, op));
  const Range range =
      clamp_of(view, std::get<ActivationAttributes>(view.op().attributes).activation);
  op.activation_min = range.low;
  op.activation_max = range.high;
  const Scale first(view.input(0)), second(view.input(1)), out(view.output());
  const double reach = 256.0 * (double{first.scale} + double{second.scale}) / out.scale + 256;
  const int finest = std::min(22, 30 - static_cast<int>(std::ceil(std::log2(reach))));
  for (op.shift = finest; op.shift > std::max(0, finest - 4); --op.shift) {
    const auto terms = [&](const Scale& in, int zero) {
      std::vector<int32_t> result;
      for (int x = -128; x < 128; ++x)
        result.push_back(static_cast<int32_t>(
            std::floor(std::ldexp(double{in.scale} * (x - in.zero) / out.scale + zero, op.shift))));
      return result;
    };
    op.terms = {terms(first, out.zero), terms(second, 0)};
    if (find_steps(op, [&](int a, int b) { return out.quantised(first.real(a) + second.real(b)); }))
      return IntegerOp(std::move(op));
  }
  return view.unsupported("no integer form gives its float32 sums");
}

Result<IntegerOp> softmax_form(const OperatorView& view) {
  const Tensor& input = view.input(0);
  TT_TRY(view.require_int8(input));
  TT_TRY(view.require_int8(view.output()));
  if (input.shape.empty()) return view.invalid(describe(input) + " is a scalar");
  TT_TRY(view.require_shape(view.output(), input.shape));
  const Scale in(input), out(view.output());
  SteppedSoftmaxOp op;
  op.depth = input.shape.back();
  op.rows = static_cast<int>(input.elements() / op.depth);
  if (op.depth >= 4096) return view.unsupported("more than 4095 classes");
  const int bits = 31 - std::bit_width(static_cast<unsigned>(op.depth));
  for (int d = 0; d < 256; ++d)
    op.exp.push_back(
        static_cast<uint32_t>(std::llround(std::ldexp(std::exp(-double{in.scale} * d), bits))));
  for (int level = -127; level <= 127; ++level) {
    const int k = level - out.zero;
    const double reached = (k - 0.5) * double{out.scale};  // of p
    if (reached <= 0) op.first = level;
    if (reached <= 0 || reached >= 1) continue;
    if (op.steps.empty()) op.first_is_odd = k % 2 != 0;
    op.steps.push_back(static_cast<uint32_t>(std::llround(std::ldexp(reached, 32))));
  }
  return IntegerOp(std::move(op));
}

Result<IntegerOp> table_form(const OperatorView& view, const std::function<float(float)>& f) {
  const Tensor &input = view.input(0), &output = view.output();
  TT_TRY(view.require_quantised(input));
  TT_TRY(view.require_quantised(output));
  TT_TRY(view.require_shape(output, input.shape));
  const Scale in(input), out(output);
  const Range from = limits_of(input.type), to = limits_of(output.type);
  LookupOp op;
  op.elements = output.elements();
  for (int x = from.low; x <= from.high; ++x)
    op.table[static_cast<uint8_t>(x)] =
        static_cast<uint8_t>(std::clamp(out.quantised(f(in.real(x))), to.low, to.high));
  return IntegerOp(op);
}

Result<IntegerOp> quantise_form(const OperatorView& view) {
  if (view.input(0).type != ElementType::kFloat32)
    return table_form(view, [](float x) { return x; });
  TT_TRY_ASSIGN(IntegerOp form, prepare_quantize(view));
  std::get<QuantizeOp>(form).rounding = Rounding::kHalfToEven;
  return form;
}

}  // namespace

Result<std::optional<IntegerOp>> onnx_form(const OperatorView& view) {
  const auto made = [](Result<IntegerOp> form) -> Result<std::optional<IntegerOp>> {
    if (!form) return form.error();
    return std::optional<IntegerOp>(std::move(form).value());
  };
  const auto convolution_clamp = [&] {
    return std::get<ConvAttributes>(view.op().attributes).activation;
  };
  switch (view.op().kind) {
    case OperatorKind::kConv2d:
      return made(kernel_form(view, prepare_conv2d(view), convolution_clamp()));
    case OperatorKind::kDepthwiseConv2d:
      return made(kernel_form(view, prepare_depthwise(view), convolution_clamp()));
    case OperatorKind::kFullyConnected:
      return made(kernel_form(view, prepare_fully_connected(view),
                              std::get<ActivationAttributes>(view.op().attributes).activation));
    case OperatorKind::kMean:
      return made(mean_form(view));
    case OperatorKind::kAdd:
      return made(add_form(view));
    case OperatorKind::kSoftmax:
      return made(softmax_form(view));
    case OperatorKind::kQuantize:
      return made(quantise_form(view));
    case OperatorKind::kRelu:
      return made(table_form(view, [](float x) { return std::max(x, 0.0F); }));
    case OperatorKind::kRelu6:
      return made(table_form(view, [](float x) { return std::clamp(x, 0.0F, 6.0F); }));
    case OperatorKind::kLogistic:
      return made(table_form(
          view, [](float x) { return static_cast<float>(1 / (1 + std::exp(-double{x}))); }));
    case OperatorKind::kTanh:
      return made(
          table_form(view, [](float x) { return static_cast<float>(std::tanh(double{x})); }));
    default:
      return std::optional<IntegerOp>();
  }
}

}  // namespace tinytune
