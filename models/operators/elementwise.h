// What the two-operand elementwise operators share: shapes that line up, and constant operands.
#pragma once

#include "models/operators/operator_view.h"

namespace tinytune {

/// Checks types and shapes of both operands and the output. kInvalidInput: not broadcastable.
Result<Broadcast> broadcast_of(const OperatorView& view);

/// The bytes of the operand that is a constant, if one is.
std::array<std::vector<int8_t>, 2> constant_operands(const OperatorView& view);

}  // namespace tinytune
