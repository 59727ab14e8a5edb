// What the forms of plain integers (plain_op.h) read of their operators' tensors.
//
// RequantShift's operands are the tensors (multiplier, addend, {shift, low, high}), all int32. They
// follow its own data, or the data of an operator that import has joined with it: a layer's input,
// weights and bias, or a product's two sides.
#pragma once

#include "models/operators/operator_view.h"

namespace tinytune {

/// Where RequantShift's operands follow those of CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED.
inline constexpr size_t kPlainScaling = 3;

/// int32, or int8 with a zero point. kInvalidInput, kUnsupported: neither.
Result<PlainOperand> plain_operand(const OperatorView& view, const Tensor& tensor);
/// The same of an output; it is clamped to what its type holds.
Result<PlainResult> plain_result(const OperatorView& view, const Tensor& tensor);

/// RequantShift's operands from input `at` on, without its broadcast. kInvalidInput: damaged.
Result<RequantShiftOp> read_requant_shift(const OperatorView& view, size_t at);

/// Multiplier and addend `i`, or the only one, as LayerData has them. Multipliers are not negative.
struct ChannelScaling {
  int32_t multiplier = 0, shift = 0;
  int64_t addend = 0;
};
ChannelScaling channel_scaling(const RequantShiftOp& op, size_t i);

/// Gives a layer RequantShift's scaling. kUnsupported: it differs along other axes than channels,
/// or falls.
Status scale_plainly(const OperatorView& view, KernelOp& kernel);

}  // namespace tinytune
