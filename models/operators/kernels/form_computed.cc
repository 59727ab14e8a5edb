// FULLY_CONNECTED with computed weights or bias: TFLite Micro reads both when it runs.
#include <fmt/format.h>

#include "models/operators/kernels/operands.h"
#include "models/operators/long_sums.h"

namespace tinytune {
namespace {

constexpr size_t kWeights = 1, kBias = 2;

// The bias's type is that of the sums: int32, or, with int16 activations, also int64. Without a
// bias, int16's sums are int64 unless the operator's quantized_bias_type is INT32.
Status read_bias(const OperatorView& view, ComputedDenseOp& op) {
  const bool wide = op.type == ElementType::kInt16;
  op.has_bias = view.has_input(kBias);
  if (!op.has_bias) {
    op.long_sums = wide && !std::get<ActivationAttributes>(view.op().attributes).int32_sums;
    return ok_status();
  }
  const Tensor& bias = view.input(kBias);
  if (bias.elements() != op.out_c)
    return view.invalid(fmt::format("bias {} for {} channels", describe(bias), op.out_c));
  if (bias.type != ElementType::kInt32 && !(wide && bias.type == ElementType::kInt64))
    return view.unsupported(fmt::format("bias {} is {}", describe(bias), name_of(bias.type)));
  op.bias_type = bias.type;
  op.long_sums = bias.type == ElementType::kInt64;
  return ok_status();
}

}  // namespace

Status check_computed_types(const OperatorView& view, const KernelOperands& t) {
  const bool wide = t.input.type == ElementType::kInt16;
  for (const Tensor* activation : {&t.input, &t.output})
    TT_TRY(wide ? view.require_int16(*activation) : view.require_int8(*activation));
  if (t.weights.type != ElementType::kInt8)
    return view.unsupported(
        fmt::format("weights {} are {}, not int8", describe(t.weights), name_of(t.weights.type)));
  if (t.weights.quantization.scales.empty())
    return view.invalid(describe(t.weights) + " has no quantisation");
  if (t.weights.quantization.per_channel() && t.weights.quantization.zero_points[0] != 0)
    return view.unsupported("weights " + describe(t.weights) + " have a zero point");
  return ok_status();
}

Result<IntegerOp> prepare_computed_dense(const OperatorView& view, const KernelOperands& t,
                                         const Workload& shape, Activation activation) {
  ComputedDenseOp op;
  op.rows = shape.batch;
  op.in_c = shape.in_c;
  op.out_c = shape.out_c;
  op.type = t.input.type;
  TT_TRY(read_bias(view, op));
  TT_TRY_ASSIGN(const auto multipliers, channel_multipliers(view, t, shape, 0));
  for (const QuantizedMultiplier& m : multipliers) {
    op.multiplier.push_back(m.multiplier);
    op.shift.push_back(m.shift);
  }
  if (op.long_sums) TT_TRY(check_long_sums(view, op.in_c, {}, op.shift));
  op.input_offset = -t.input.quantization.zero_points[0];
  op.weights_offset = -t.weights.quantization.zero_points[0];
  op.output_offset = t.output.quantization.zero_points[0];
  TT_TRY_ASSIGN(const Range range, view.clamp_of(activation));
  op.activation_min = range.low;
  op.activation_max = range.high;
  for (const size_t i : {size_t{0}, kWeights, kBias})
    if (view.has_input(i)) op.constants[i] = view.input(i).data;
  return IntegerOp(std::move(op));
}

}  // namespace tinytune
