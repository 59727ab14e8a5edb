#include <algorithm>
#include <cstring>

#include "models/reference/reference.h"
#include "schedules/requantise.h"

namespace tinytune::reference {
namespace {

// The operands of a two-operand operator, each from its constant or the next input.
std::array<const int8_t*, 2> operands_of(const std::array<std::vector<int8_t>, 2>& constants,
                                         const Buffers& buffers) {
  std::array<const int8_t*, 2> operands;
  size_t next = 0;
  for (size_t i = 0; i < 2; ++i)
    operands[i] = constants[i].empty() ? buffers.input(next++) : constants[i].data();
  return operands;
}

// Calls f(a, b) for every output element in order and stores what it returns.
template <typename F>
void for_each(const Broadcast& b, std::array<const int8_t*, 2> x, int8_t* output, F f) {
  std::array<int, 5> at;
  for (at[0] = 0; at[0] < b.extents[0]; ++at[0])
    for (at[1] = 0; at[1] < b.extents[1]; ++at[1])
      for (at[2] = 0; at[2] < b.extents[2]; ++at[2])
        for (at[3] = 0; at[3] < b.extents[3]; ++at[3])
          for (at[4] = 0; at[4] < b.extents[4]; ++at[4]) {
            std::array<int64_t, 2> offset{};
            for (size_t operand = 0; operand < 2; ++operand)
              for (size_t axis = 0; axis < at.size(); ++axis)
                offset[operand] += int64_t{at[axis]} * b.steps[operand][axis];
            *output++ = f(x[0][offset[0]], x[1][offset[1]]);
          }
}

}  // namespace

void run(const CopyOp& op, const Buffers& buffers) {
  std::memcpy(buffers.output(), buffers.input(), static_cast<size_t>(op.bytes));
}

void run(const AddOp& op, const Buffers& buffers) {
  const auto operands = operands_of(op.constants, buffers);
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
  const auto operands = operands_of(op.constants, buffers);
  for_each(op.broadcast, operands, buffers.output(), [&](int8_t a, int8_t b) {
    const int32_t product = (a + op.input1_offset) * (b + op.input2_offset);
    return add_zero_point(multiply_by_quantized_multiplier(product, op.multiplier, op.shift),
                          op.output_offset, op.activation_min, op.activation_max);
  });
}

void run(const ExtremumOp& op, const Buffers& buffers) {
  const auto operands = operands_of(op.constants, buffers);
  for_each(op.broadcast, operands, buffers.output(),
           [&](int8_t a, int8_t b) { return op.maximum ? std::max(a, b) : std::min(a, b); });
}

}  // namespace tinytune::reference
