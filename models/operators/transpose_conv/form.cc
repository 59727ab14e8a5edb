// TRANSPOSE_CONV of int8 and of int16. Its inputs are the output's shape, the weights, the data and
// the bias, in this order.
#include "models/operators/transpose_conv/form.h"

#include <fmt/format.h>

#include <cstring>

#include "models/operators/kernels/operands.h"
#include "models/operators/long_sums.h"

namespace tinytune {
namespace {

constexpr size_t kBias = 3;

Result<TransposeConvOp> read_window(const OperatorView& view, const KernelOperands& t) {
  const auto& a = std::get<TransposeConvAttributes>(view.op().attributes);
  for (const Tensor* tensor : {&t.input, &t.weights, &t.output})
    TT_TRY(view.require_rank(*tensor, 4));
  // TFLite Micro takes the output's own shape and ignores one that an input computes.
  if (view.input(0).is_constant) {
    TT_TRY_ASSIGN(const auto shape, int32_constant(view, view.input(0)));
    TT_TRY(view.require_shape(t.output, {shape.begin(), shape.end()}));
  }
  if (a.stride_h < 1 || a.stride_w < 1) return view.invalid("strides must be positive");
  if (!window_is_small(t.weights.shape[1], a.stride_h, 1) ||
      !window_is_small(t.weights.shape[2], a.stride_w, 1))
    return view.unsupported(kWindowTooLarge);
  if (t.output.shape[0] != t.input.shape[0] || t.output.shape[3] != t.weights.shape[0] ||
      t.input.shape[3] != t.weights.shape[3])
    return view.invalid(fmt::format("weights {} for input {} and output {}", describe(t.weights),
                                    describe(t.input), describe(t.output)));
  TransposeConvOp op;
  op.data_input = view.input(0).is_constant ? 0 : 1;
  op.batch = t.input.shape[0];
  op.in_h = t.input.shape[1];
  op.in_w = t.input.shape[2];
  op.in_c = t.input.shape[3];
  op.out_h = t.output.shape[1];
  op.out_w = t.output.shape[2];
  op.out_c = t.output.shape[3];
  op.kernel_h = t.weights.shape[1];
  op.kernel_w = t.weights.shape[2];
  op.stride_h = a.stride_h;
  op.stride_w = a.stride_w;
  op.pad_top = window_of(a.padding, op.out_h, op.kernel_h, a.stride_h, 1).pad;
  op.pad_left = window_of(a.padding, op.out_w, op.kernel_w, a.stride_w, 1).pad;
  return op;
}

// Reads a bias. TFLite Micro reads one of 64 bits and converts one of 16.
Result<std::vector<int64_t>> read_long_bias(const OperatorView& view, int channels) {
  if (!view.has_input(kBias)) return std::vector<int64_t>(static_cast<size_t>(channels), 0);
  const Tensor& bias = view.input(kBias);
  TT_TRY(view.require_constant(bias));
  if (bias.elements() != channels)
    return view.invalid(fmt::format("bias {} for {} channels", describe(bias), channels));
  if (bias.type != ElementType::kInt16) return int64_constant(view, bias);
  std::vector<int16_t> narrow(static_cast<size_t>(channels));
  std::memcpy(narrow.data(), bias.data.data(), bias.data.size());
  return std::vector<int64_t>(narrow.begin(), narrow.end());
}

Result<IntegerOp> prepare_wide(const OperatorView& view, const KernelOperands& t,
                               TransposeConvOp shape) {
  WideTransposeConvOp op;
  Workload channels;
  channels.out_c = shape.out_c;
  TT_TRY_ASSIGN(const auto multipliers, channel_multipliers(view, t, channels, 0));
  for (const QuantizedMultiplier& m : multipliers) {
    shape.data.multiplier.push_back(m.multiplier);
    shape.data.shift.push_back(m.shift);
  }
  shape.data.weights.assign(t.weights.data.begin(), t.weights.data.end());
  TT_TRY_ASSIGN(op.bias, read_long_bias(view, shape.out_c));
  const int64_t taps = int64_t{shape.kernel_h} * shape.kernel_w * shape.in_c;
  TT_TRY(check_long_sums(view, taps, op.bias, shape.data.shift));
  op.shape = std::move(shape);
  return IntegerOp(std::move(op));
}

}  // namespace

Result<IntegerOp> prepare_transpose_conv(const OperatorView& view) {
  const KernelOperands t{view.input(2), view.input(1), view.output()};
  const bool wide = t.input.type == ElementType::kInt16;
  TT_TRY(wide ? check_wide_types(view, t) : check_kernel_types(view, t));
  TT_TRY_ASSIGN(TransposeConvOp op, read_window(view, t));
  const Activation activation = std::get<TransposeConvAttributes>(view.op().attributes).activation;
  TT_TRY_ASSIGN(const Range range, view.clamp_of(activation));
  op.activation_min = range.low;
  op.activation_max = range.high;
  if (wide) return prepare_wide(view, t, std::move(op));
  KernelOp filled;  // only its constants and zero points are wanted
  filled.workload.in_c = op.in_c;
  filled.workload.out_c = op.out_c;
  TT_TRY(fill_constants(view, t, 0, kBias, activation, filled));
  op.input_zero_point = filled.workload.input_zero_point;
  op.output_zero_point = filled.workload.output_zero_point;
  op.data = std::move(filled.data);
  return IntegerOp(std::move(op));
}

}  // namespace tinytune
