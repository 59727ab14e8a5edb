// Reads the operands of elementwise operators with several: broadcasting and constants.
#pragma once

#include "models/operators/operator_view.h"
#include "models/quantise.h"

namespace tinytune {

/// Broadcasts the first `count` operands (default: all) to the output; any types. kInvalidInput:
/// not broadcastable.
Result<Broadcast> broadcast_shapes(const OperatorView& view, size_t count = SIZE_MAX);

/// The same for two int8 operands and an int8 output.
Result<Broadcast> broadcast_of(const OperatorView& view);

/// Returns each operand's bytes; empty unless it is a constant.
std::array<std::vector<int8_t>, 2> constant_operands(const OperatorView& view);

Activation fused_activation(const OperatorView& view);

/// Returns the output's range under the fused activation. kUnsupported: it is empty.
Result<Range> fused_range(const OperatorView& view);

/// Reads what every form of two int8 operands has: broadcast, constants, number of elements.
template <typename Op>
Status read_operands(const OperatorView& view, Op& op) {
  TT_TRY_ASSIGN(op.broadcast, broadcast_of(view));
  op.constants = constant_operands(view);
  op.elements = view.output().elements();
  return ok_status();
}

/// The same for ADD, SUB, MUL and DIV, with zero points and a fused activation.
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

/// Returns (x - zero_point) * 2^left_shift scaled with double rounding, for each int8 x from -128.
std::vector<int32_t> scaled_terms(int zero_point, int left_shift, const QuantizedMultiplier& m);

}  // namespace tinytune
