// What elementwise operators of several operands share: shapes that line up, and constants.
#pragma once

#include "models/operators/operator_view.h"
#include "models/quantise.h"

namespace tinytune {

/// Lines up the first `count` operands, all of them unless said, and the output, of any type.
/// kInvalidInput: not broadcastable.
Result<Broadcast> broadcast_shapes(const OperatorView& view, size_t count = SIZE_MAX);

/// The same of two int8 operands and an int8 output.
Result<Broadcast> broadcast_of(const OperatorView& view);

/// The bytes of the operand that is a constant, if one is.
std::array<std::vector<int8_t>, 2> constant_operands(const OperatorView& view);

Activation fused_activation(const OperatorView& view);

/// The fused activation's range of the output. kUnsupported: it is empty.
Result<Range> fused_range(const OperatorView& view);

/// What every form of two int8 operands has: how they line up, the constant one, its extent.
template <typename Op>
Status read_operands(const OperatorView& view, Op& op) {
  TT_TRY_ASSIGN(op.broadcast, broadcast_of(view));
  op.constants = constant_operands(view);
  op.elements = view.output().elements();
  return ok_status();
}

/// The same of ADD, SUB, MUL and DIV, with zero points and a fused activation.
template <typename Op>
Status read_arithmetic(const OperatorView& view, Op& op) {
  TT_TRY(read_operands(view, op));
  op.input1_offset = -view.input(0).quantization.zero_points[0];
  op.input2_offset = -view.input(1).quantization.zero_points[0];
  op.output_offset = view.output().quantization.zero_points[0];
  TT_TRY_ASSIGN(const Range range, fused_range(view));
  op.activation_min = range.low;
  op.activation_max = range.high;
  return ok_status();
}

/// One double-rounding scaling of (x - zero_point) * 2^left_shift for every int8 x, -128 first.
std::vector<int32_t> scaled_terms(int zero_point, int left_shift, const QuantizedMultiplier& m);

}  // namespace tinytune
