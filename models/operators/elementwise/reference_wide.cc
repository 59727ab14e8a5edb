// ADD, SUB and MUL of int16, by TensorFlow Lite Micro's steps.
#include <algorithm>

#include "models/reference/broadcast.h"
#include "models/reference/reference.h"
#include "schedules/requantise.h"

namespace tinytune::reference {
void run(const WideAddOp& op, const Buffers& buffers) {
  const auto operands = operands_of<int16_t>(op.constants, buffers);
  for_each(op.broadcast, operands, buffers.wide_output(), [&](int16_t a, int16_t b) {
    constexpr int kUnit = 1 << WideAddOp::kLeftShift;
    const int32_t x =
        multiply_by_quantized_multiplier(a * kUnit, op.input1_multiplier, op.input1_shift);
    const int32_t y =
        multiply_by_quantized_multiplier(b * kUnit, op.input2_multiplier, op.input2_shift);
    return clamped_16(multiply_by_quantized_multiplier(op.subtract ? x - y : x + y,
                                                       op.output_multiplier, op.output_shift),
                      op.activation_min, op.activation_max);
  });
}

void run(const WideMulOp& op, const Buffers& buffers) {
  const auto operands = operands_of<int16_t>(op.constants, buffers);
  for_each(op.broadcast, operands, buffers.wide_output(), [&](int16_t a, int16_t b) {
    return clamped_16(multiply_by_quantized_multiplier(a * b, op.multiplier, op.shift),
                      op.activation_min, op.activation_max);
  });
}

}  // namespace tinytune::reference
