// Prepares CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED as a Workload with its constants.
#include "models/operators/kernels/form.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "models/operators/kernels/operands.h"
#include "models/quantise.h"

namespace tinytune {

Status check_weights(const OperatorView& view, const KernelOperands& t) {
  TT_TRY(view.require_constant(t.weights));
  if (t.weights.quantization.scales.empty())
    return view.invalid(describe(t.weights) + " has no quantisation");
  for (int zero_point : t.weights.quantization.zero_points)
    if (zero_point != 0)
      return view.unsupported("weights " + describe(t.weights) + " have a zero point");
  return ok_status();
}

Result<std::vector<QuantizedMultiplier>> channel_multipliers(const OperatorView& view,
                                                             const KernelOperands& t,
                                                             const Workload& w, int channel_axis) {
  const auto channels = static_cast<size_t>(w.out_c);
  const Quantization& q = t.weights.quantization;
  if (q.per_channel() && (q.axis != channel_axis || q.scales.size() != channels))
    return view.invalid(
        fmt::format("{} has {} scales on axis {}", describe(t.weights), q.scales.size(), q.axis));
  const float input_scale = t.input.quantization.scales[0];
  const float output_scale = t.output.quantization.scales[0];
  std::vector<QuantizedMultiplier> multipliers;
  for (size_t c = 0; c < channels; ++c) {
    const float weight_scale = q.scales[q.per_channel() ? c : 0];
    // FULLY_CONNECTED with one scale multiplies in float first; everything else in double.
    const bool float_product = w.op == OpKind::kDense && !q.per_channel();
    const double product = float_product ? double{input_scale * weight_scale}
                                         : double{input_scale} * double{weight_scale};
    const double real = product / double{output_scale};
    if (!(real < kLargestMultiplier)) return view.unsupported(kMultiplierTooLarge);
    multipliers.push_back(quantize_multiplier(real));
  }
  return multipliers;
}

Status check_kernel_types(const OperatorView& view, const KernelOperands& t) {
  TT_TRY(view.require_int8(t.input));
  TT_TRY(view.require_int8(t.output));
  if (t.weights.type != ElementType::kInt8 && t.weights.type != ElementType::kInt4)
    return view.unsupported(
        fmt::format("weights {} are {}, not int8", describe(t.weights), name_of(t.weights.type)));
  return check_weights(view, t);
}

Status fill_constants(const OperatorView& view, const KernelOperands& t, int channel_axis,
                      size_t bias, Activation activation, KernelOp& op) {
  Workload& w = op.workload;
  LayerData& data = op.data;
  const auto channels = static_cast<size_t>(w.out_c);
  TT_TRY_ASSIGN(const auto multipliers, channel_multipliers(view, t, w, channel_axis));
  for (const QuantizedMultiplier& m : multipliers) {
    data.multiplier.push_back(m.multiplier);
    data.shift.push_back(m.shift);
  }
  data.weights.resize(t.weights.data.size());
  std::memcpy(data.weights.data(), t.weights.data.data(), data.weights.size());

  data.bias.assign(channels, 0);
  if (view.has_input(bias)) {
    TT_TRY_ASSIGN(data.bias, int32_constant(view, view.input(bias)));
    if (data.bias.size() != channels)
      return view.invalid(
          fmt::format("bias {} for {} channels", describe(view.input(bias)), channels));
  }
  w.input_zero_point = t.input.quantization.zero_points[0];
  w.output_zero_point = t.output.quantization.zero_points[0];
  TT_TRY_ASSIGN(const Range range, view.clamp_of(activation));
  w.activation_min = range.low;
  w.activation_max = range.high;
  if (auto valid = validate(w); !valid) return view.invalid(valid.error().message());
  return ok_status();
}

namespace {

Result<Workload> convolution_shape(const OperatorView& view, const KernelOperands& t,
                                   bool depthwise) {
  const auto& a = std::get<ConvAttributes>(view.op().attributes);
  TT_TRY(view.require_rank(t.input, 4));
  TT_TRY(view.require_rank(t.weights, 4));
  Workload w;
  w.op = depthwise ? OpKind::kDepthwiseConv2d : OpKind::kConv2d;
  w.batch = t.input.shape[0];
  w.in_h = t.input.shape[1];
  w.in_w = t.input.shape[2];
  w.in_c = t.input.shape[3];
  w.out_c = t.weights.shape[depthwise ? 3 : 0];
  w.kernel_h = t.weights.shape[1];
  w.kernel_w = t.weights.shape[2];
  w.stride_h = a.stride_h;
  w.stride_w = a.stride_w;
  w.dilation_h = a.dilation_h;
  w.dilation_w = a.dilation_w;
  if (a.stride_h < 1 || a.stride_w < 1 || a.dilation_h < 1 || a.dilation_w < 1)
    return view.invalid("strides and dilations must be positive");
  if (!window_is_small(w.kernel_h, a.stride_h, a.dilation_h) ||
      !window_is_small(w.kernel_w, a.stride_w, a.dilation_w))
    return view.unsupported(kWindowTooLarge);
  if (depthwise) {
    if (t.weights.shape[0] != 1 || w.out_c % w.in_c != 0)
      return view.invalid(
          fmt::format("weights {} for input {}", describe(t.weights), describe(t.input)));
    w.depth_multiplier = w.out_c / w.in_c;
    if (a.depth_multiplier != 0 && a.depth_multiplier != w.depth_multiplier)
      return view.invalid(fmt::format("depth multiplier {} for weights {}", a.depth_multiplier,
                                      describe(t.weights)));
  } else {
    const int group_channels = t.weights.shape[3];
    if (w.in_c % group_channels != 0 || w.out_c % (w.in_c / group_channels) != 0)
      return view.invalid(
          fmt::format("weights {} for input {}", describe(t.weights), describe(t.input)));
    w.groups = w.in_c / group_channels;
  }
  const Window rows = window_of(a.padding, w.in_h, w.kernel_h, a.stride_h, a.dilation_h);
  const Window columns = window_of(a.padding, w.in_w, w.kernel_w, a.stride_w, a.dilation_w);
  if (rows.extent < 1 || columns.extent < 1)
    return view.invalid(
        fmt::format("weights {} are larger than input {}", describe(t.weights), describe(t.input)));
  w.out_h = rows.extent;
  w.out_w = columns.extent;
  w.pad_top = rows.pad;
  w.pad_left = columns.pad;
  TT_TRY(view.require_shape(t.output, {w.batch, w.out_h, w.out_w, w.out_c}));
  return w;
}

Result<Workload> dense_shape(const OperatorView& view, const KernelOperands& t) {
  TT_TRY(view.require_rank(t.weights, 2));
  Workload w;
  w.op = OpKind::kDense;
  w.out_c = t.weights.shape[0];
  w.in_c = t.weights.shape[1];
  // TFLite reads the input flat; leading dimensions of either side only count rows.
  const int64_t rows = t.input.elements() / w.in_c;
  if (rows < 1 || rows * w.in_c != t.input.elements() || t.output.shape.empty() ||
      t.output.shape.back() != w.out_c || t.output.elements() != rows * w.out_c)
    return view.invalid(fmt::format("weights {} for input {} and output {}", describe(t.weights),
                                    describe(t.input), describe(t.output)));
  w.batch = static_cast<int>(rows);
  return w;
}

// Checks FULLY_CONNECTED's bias if weights have one scale: its scale must be the product of the
// input's and the weights' scales, within 2 % of the output's scale. Convolutions are not checked.
Status check_dense_scales(const OperatorView& view, const KernelOperands& t) {
  if (view.arithmetic() == Arithmetic::kOnnx) return ok_status();
  const Quantization& weights = t.weights.quantization;
  if (weights.per_channel()) {
    if (t.weights.type == ElementType::kInt8) return ok_status();
    return view.unsupported(
        "int4 weights with a scale for each channel, which TFLite Micro refuses");
  }
  if (!view.has_input(2)) return ok_status();
  constexpr double kTolerance = 0.02;
  const auto& given = view.input(2).quantization.scales;
  const double bias = given.empty() ? 0 : double{given[0]};
  const double product = double{t.input.quantization.scales[0]} * double{weights.scales[0]};
  if (std::abs(product - bias) / double{t.output.quantization.scales[0]} <= kTolerance)
    return ok_status();
  return view.unsupported(
      fmt::format("bias {} has scale {}, input and weights give {}: TFLite Micro "
                  "refuses it; write the bias with that scale",
                  describe(view.input(2)), static_cast<float>(bias), static_cast<float>(product)));
}

Result<IntegerOp> prepare_convolution(const OperatorView& view, bool depthwise) {
  const KernelOperands t{view.input(0), view.input(1), view.output()};
  const Activation activation = std::get<ConvAttributes>(view.op().attributes).activation;
  const int channel_axis = depthwise ? 3 : 0;
  const bool wide = t.input.type == ElementType::kInt16;
  TT_TRY(wide ? check_wide_types(view, t) : check_kernel_types(view, t));
  KernelOp op;
  TT_TRY_ASSIGN(op.workload, convolution_shape(view, t, depthwise));
  if (wide) return prepare_wide_kernel(view, t, op.workload, channel_axis, activation);
  TT_TRY(fill_constants(view, t, channel_axis, 2, activation, op));
  return IntegerOp(std::move(op));
}

}  // namespace

Result<IntegerOp> prepare_conv2d(const OperatorView& view) {
  return prepare_convolution(view, false);
}

Result<IntegerOp> prepare_depthwise(const OperatorView& view) {
  return prepare_convolution(view, true);
}

Result<IntegerOp> prepare_fully_connected(const OperatorView& view) {
  const KernelOperands t{view.input(0), view.input(1), view.output()};
  const auto activation = std::get<ActivationAttributes>(view.op().attributes).activation;
  const bool wide = t.input.type == ElementType::kInt16;
  if (!t.weights.is_constant || (view.has_input(2) && !view.input(2).is_constant)) {
    TT_TRY(check_computed_types(view, t));
    TT_TRY(check_dense_scales(view, t));
    TT_TRY_ASSIGN(const Workload shape, dense_shape(view, t));
    return prepare_computed_dense(view, t, shape, activation);
  }
  TT_TRY(wide ? check_wide_types(view, t) : check_kernel_types(view, t));
  TT_TRY(check_dense_scales(view, t));
  KernelOp op;
  TT_TRY_ASSIGN(op.workload, dense_shape(view, t));
  if (wide) return prepare_wide_kernel(view, t, op.workload, 0, activation);
  TT_TRY(fill_constants(view, t, 0, 2, activation, op));
  return IntegerOp(std::move(op));
}

}  // namespace tinytune
