// What elementwise operators of several operands share: shapes that line up, and constants.
#pragma once

#include "models/operators/operator_view.h"
#include "models/quantise.h"

namespace tinytune {

/// Lines up all operands and the output, of any type. kInvalidInput: not broadcastable.
Result<Broadcast> broadcast_shapes(const OperatorView& view);

/// The same of two int8 operands and an int8 output.
Result<Broadcast> broadcast_of(const OperatorView& view);

/// The bytes of the operand that is a constant, if one is.
std::array<std::vector<int8_t>, 2> constant_operands(const OperatorView& view);

/// One double-rounding scaling of (x - zero_point) * 2^left_shift for every int8 x, -128 first.
std::vector<int32_t> scaled_terms(int zero_point, int left_shift, const QuantizedMultiplier& m);

}  // namespace tinytune
