#include "models/operators/plain/operands.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace tinytune {

Result<PlainOperand> plain_operand(const OperatorView& view, const Tensor& tensor) {
  if (tensor.type == ElementType::kInt32) return PlainOperand{tensor.type, 0};
  TT_TRY(view.require_int8(tensor));
  return PlainOperand{tensor.type, -tensor.quantization.zero_points[0]};
}

Result<PlainResult> plain_result(const OperatorView& view, const Tensor& tensor) {
  if (tensor.type == ElementType::kInt32) return PlainResult{tensor.type, 0, INT32_MIN, INT32_MAX};
  TT_TRY(view.require_int8(tensor));
  const int32_t zero = tensor.quantization.zero_points[0];
  return PlainResult{tensor.type, zero, -128 - zero, 127 - zero};
}

Result<RequantShiftOp> read_requant_shift(const OperatorView& view, size_t at) {
  RequantShiftOp op;
  TT_TRY_ASSIGN(op.output, plain_result(view, view.output()));
  TT_TRY_ASSIGN(op.multiplier, int32_constant(view, view.input(at)));
  TT_TRY_ASSIGN(const auto addends, int32_constant(view, view.input(at + 1)));
  TT_TRY_ASSIGN(const auto limits, int32_constant(view, view.input(at + 2)));
  if (limits.size() != 3 || limits[0] < 0 || limits[0] > 31 || limits[1] > limits[2] ||
      limits[1] < op.output.low || limits[2] > op.output.high)
    return view.invalid("a shift or limits out of range");
  if (op.multiplier.empty() || addends.empty()) return view.invalid("no multiplier or no addend");
  op.shift = limits[0];
  op.output.low = limits[1];
  op.output.high = limits[2];
  const int64_t half = op.shift > 0 ? int64_t{1} << (op.shift - 1) : 0;
  for (const int32_t addend : addends) op.addend.push_back(addend + half);
  return op;
}

// Shifts the multiplier left until its highest bit is bit 30, as in LayerData.
ChannelScaling channel_scaling(const RequantShiftOp& op, size_t i) {
  const int32_t multiplier = op.multiplier[op.multiplier.size() > 1 ? i : 0];
  const int64_t addend = op.addend[op.addend.size() > 1 ? i : 0];
  const int up = multiplier == 0 ? 1 : std::countl_zero(static_cast<uint32_t>(multiplier)) - 1;
  return {multiplier * (1 << up), 31 - op.shift - up, addend * (int64_t{1} << up)};
}

Result<ByteScaling> read_byte_scaling(const OperatorView& view, size_t at) {
  TT_TRY_ASSIGN(const RequantShiftOp op, read_requant_shift(view, at));
  if (op.multiplier.size() != 1 || op.addend.size() != 1 || op.multiplier[0] < 1)
    return view.unsupported("a scaling of its results that is not one, or falls");
  const ChannelScaling scaling = channel_scaling(op, 0);
  const auto wanted = [&](int32_t sum) {
    const int64_t level = (int64_t{sum} * op.multiplier[0] + op.addend[0]) >> op.shift;
    return static_cast<int>(std::clamp<int64_t>(level, op.output.low, op.output.high)) +
           op.output.offset;
  };
  return ByteScaling{scaling.multiplier, scaling.shift,
                     find_byte_steps(INT32_MIN, INT32_MAX, wanted)};
}

Status scale_plainly(const OperatorView& view, KernelOp& kernel) {
  TT_TRY_ASSIGN(const RequantShiftOp op, read_requant_shift(view, kPlainScaling));
  const auto channels = static_cast<size_t>(kernel.workload.out_c);
  for (const size_t given : {op.multiplier.size(), op.addend.size()})
    if (given != 1 && given != channels)
      return view.unsupported("a scaling that differs along other axes than channels");
  for (size_t c = 0; c < channels; ++c) {
    if (op.multiplier[op.multiplier.size() > 1 ? c : 0] < 0)
      return view.unsupported("a scaling that falls");
    const ChannelScaling scaling = channel_scaling(op, c);
    kernel.data.multiplier[c] = scaling.multiplier;
    kernel.data.shift[c] = scaling.shift;
    kernel.data.addend.push_back(scaling.addend);
  }
  kernel.workload.activation_min = op.output.low + op.output.offset;
  kernel.workload.activation_max = op.output.high + op.output.offset;
  kernel.workload.rounding = Rounding::kMultiplyAdd;
  return ok_status();
}

}  // namespace tinytune
