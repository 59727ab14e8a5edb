// ADD, SUB, MUL, MAXIMUM and MINIMUM, by TensorFlow Lite Micro's steps.
#include "models/reference/reference.h"

#include <algorithm>

#include "models/byte_steps.h"
#include "models/reference/broadcast.h"
#include "schedules/requantise.h"

namespace tinytune::reference {

void run(const AddOp& op, const Buffers& buffers) {
  const auto operands = operands_of<int8_t>(op.constants, buffers);
  for_each(op.broadcast, operands, buffers.output(), [&](int8_t a, int8_t b) {
    const int32_t x = multiply_by_quantized_multiplier(
        (a + op.input1_offset) * (1 << op.left_shift), op.input1_multiplier, op.input1_shift);
    const int32_t y = multiply_by_quantized_multiplier(
        (b + op.input2_offset) * (1 << op.left_shift), op.input2_multiplier, op.input2_shift);
    const int32_t sum = op.subtract ? x - y : x + y;
    return add_zero_point(
        multiply_by_quantized_multiplier(sum, op.output_multiplier, op.output_shift),
        op.output_offset, op.activation_min, op.activation_max);
  });
}

void run(const MulOp& op, const Buffers& buffers) {
  const auto operands = operands_of<int8_t>(op.constants, buffers);
  const auto looked_up = [&](size_t i, int8_t stored) {
    return op.lookups[i].empty() ? stored
                                 : static_cast<int8_t>(op.lookups[i][static_cast<uint8_t>(stored)]);
  };
  for_each(op.broadcast, operands, buffers.output(), [&](int8_t a, int8_t b) {
    const int32_t product =
        (looked_up(0, a) + op.input1_offset) * (looked_up(1, b) + op.input2_offset);
    if (!op.steps.empty())
      return static_cast<int8_t>(
          std::clamp<int>(byte_of(op.steps, product), op.activation_min, op.activation_max));
    return add_zero_point(multiply_by_quantized_multiplier(product, op.multiplier, op.shift),
                          op.output_offset, op.activation_min, op.activation_max);
  });
}

void run(const ExtremumOp& op, const Buffers& buffers) {
  const auto operands = operands_of<int8_t>(op.constants, buffers);
  for_each(op.broadcast, operands, buffers.output(),
           [&](int8_t a, int8_t b) { return op.maximum ? std::max(a, b) : std::min(a, b); });
}

}  // namespace tinytune::reference
