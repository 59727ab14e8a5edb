// CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED of int16 activations.
#include <fmt/format.h>

#include "models/operators/kernels/operands.h"
#include "models/operators/long_sums.h"

namespace tinytune {
namespace {

// Returns whether the file sets int32 sums for no bias; DEPTHWISE_CONV_2D has no such option.
bool asks_for_int32_sums(const OperatorView& view) {
  if (const auto* convolution = std::get_if<ConvAttributes>(&view.op().attributes))
    return convolution->int32_sums;
  return std::get<ActivationAttributes>(view.op().attributes).int32_sums;
}

// Reads the bias, which determines the width of sums: TFLite Micro instantiates its kernels by the
// bias's type. Without a bias, sums have 64 bits unless the operator's quantized_bias_type is
// INT32; DEPTHWISE_CONV_2D always has 64 bits.
Status read_bias(const OperatorView& view, WideKernelOp& op) {
  const auto channels = static_cast<size_t>(op.shape.out_c);
  const bool depthwise = op.shape.op == OpKind::kDepthwiseConv2d;
  if (!view.has_input(2)) {
    op.bias.assign(channels, 0);
    op.long_sums = depthwise || !asks_for_int32_sums(view);
    return ok_status();
  }
  const Tensor& bias = view.input(2);
  TT_TRY(view.require_constant(bias));
  if (bias.elements() != op.shape.out_c)
    return view.invalid(fmt::format("bias {} for {} channels", describe(bias), channels));
  op.long_sums = bias.type == ElementType::kInt64;
  if (op.long_sums || depthwise) {
    TT_TRY_ASSIGN(op.bias, int64_constant(view, bias));
    return ok_status();
  }
  TT_TRY_ASSIGN(const std::vector<int32_t> narrow, int32_constant(view, bias));
  op.bias.assign(narrow.begin(), narrow.end());
  return ok_status();
}

}  // namespace

Status check_wide_types(const OperatorView& view, const KernelOperands& t) {
  TT_TRY(view.require_int16(t.input));
  TT_TRY(view.require_int16(t.output));
  if (t.weights.type != ElementType::kInt8)
    return view.unsupported(fmt::format("weights {} of int16 activations are {}, not int8",
                                        describe(t.weights), name_of(t.weights.type)));
  return check_weights(view, t);
}

Result<IntegerOp> prepare_wide_kernel(const OperatorView& view, const KernelOperands& t,
                                      const Workload& shape, int channel_axis,
                                      Activation activation) {
  WideKernelOp op;
  op.shape = shape;
  TT_TRY_ASSIGN(const auto multipliers, channel_multipliers(view, t, shape, channel_axis));
  for (const QuantizedMultiplier& m : multipliers) {
    op.multiplier.push_back(m.multiplier);
    op.shift.push_back(m.shift);
  }
  op.weights.assign(t.weights.data.begin(), t.weights.data.end());
  TT_TRY(read_bias(view, op));
  if (op.long_sums) TT_TRY(check_long_sums(view, op.shape.reduction(), op.bias, op.shift));
  TT_TRY_ASSIGN(const Range range, view.clamp_of(activation));
  op.shape.activation_min = range.low;
  op.shape.activation_max = range.high;
  if (auto valid = validate(op.shape); !valid) return view.invalid(valid.error().message());
  return IntegerOp(std::move(op));
}

}  // namespace tinytune
