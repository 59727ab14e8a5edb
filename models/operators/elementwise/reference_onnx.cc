// ONNX's ADD and SUB: what its float arithmetic gives, from the form's tables.
#include <algorithm>

#include "models/reference/broadcast.h"
#include "models/reference/reference.h"

namespace tinytune::reference {

void run(const SteppedAddOp& op, const Buffers& buffers) {
  const auto operands = operands_of<int8_t>(op.constants, buffers);
  const int64_t mask = (int64_t{1} << op.shift) - 1;
  for_each(op.broadcast, operands, buffers.output(), [&](int8_t a, int8_t b) {
    const int64_t y = term(op.terms[0], a) + term(op.terms[1], b);
    const auto k = static_cast<int32_t>(y >> op.shift);
    const int up = (y & mask) >= op.steps[static_cast<uint8_t>(k)] ? 1 : 0;
    return static_cast<int8_t>(std::clamp(k + up, op.activation_min, op.activation_max));
  });
}

}  // namespace tinytune::reference
