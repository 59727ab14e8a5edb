// Reads the tensors of operators on plain integers (form.h).
//
// RequantShift's operands are the tensors (multiplier, addend, {shift, low, high}), all int32. They
// follow its own data, or the data of an operator that import has joined with it: a layer's input,
// weights and bias, or a product's two sides.
#pragma once

#include "models/byte_steps.h"
#include "models/operators/operator_view.h"

namespace tinytune {

/// The first input of RequantShift's operands in CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED.
inline constexpr size_t kPlainScaling = 3;

/// Reads an operand of int32, or int8 with a zero point. kInvalidInput, kUnsupported: neither.
Result<PlainOperand> plain_operand(const OperatorView& view, const Tensor& tensor);
/// The same for an output, with the limits of its type.
Result<PlainResult> plain_result(const OperatorView& view, const Tensor& tensor);

/// Reads RequantShift's operands from input `at` on, without its broadcast. kInvalidInput: damaged.
Result<RequantShiftOp> read_requant_shift(const OperatorView& view, size_t at);

/// Multiplier and addend `i`, or the only one, as in LayerData. Multipliers are not negative.
struct ChannelScaling {
  int32_t multiplier = 0, shift = 0;
  int64_t addend = 0;
};
ChannelScaling channel_scaling(const RequantShiftOp& op, size_t i);

/// RequantShift from sums or products of any size to bytes: the exact steps, and a multiplier and a
/// shift that approximate them.
struct ByteScaling {
  int32_t multiplier = 0;
  int shift = 0;
  ByteSteps steps;
};
/// Reads it from RequantShift's operands from input `at` on. kUnsupported: several scalings, or a
/// multiplier below 1.
Result<ByteScaling> read_byte_scaling(const OperatorView& view, size_t at);

/// Gives a layer RequantShift's scaling. kUnsupported: it differs along other axes than channels,
/// or a multiplier is negative.
Status scale_plainly(const OperatorView& view, KernelOp& kernel);

}  // namespace tinytune
