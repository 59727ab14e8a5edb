#include <algorithm>
#include <bit>
#include <cstring>

#include "models/byte_steps.h"
#include "models/reference/broadcast.h"
#include "models/reference/fixed_point.h"
#include "schedules/requantise.h"

namespace tinytune::reference {
void run(const CopyOp& op, const Buffers& buffers) {
  std::memcpy(buffers.output(), buffers.input(), static_cast<size_t>(op.bytes));
}

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

void run(const SquaredDifferenceOp& op, const Buffers& buffers) {
  const auto operands = operands_of<int8_t>(op.constants, buffers);
  for_each(op.broadcast, operands, buffers.output(), [&](int8_t a, int8_t b) {
    const int32_t difference = term(op.terms[0], a) - term(op.terms[1], b);
    return add_zero_point(
        multiply_by_quantized_multiplier(difference * difference, op.multiplier, op.shift),
        op.output_offset, -128, 127);
  });
}

void run(const PreluOp& op, const Buffers& buffers) {
  const auto operands = operands_of<int8_t>(op.constants, buffers);
  for_each(op.broadcast, operands, buffers.output(), [&](int8_t a, int8_t b) {
    const int32_t x = a + op.input_offset;
    const int32_t scaled =
        x >= 0 ? multiply_by_quantized_multiplier(x, op.positive_multiplier, op.positive_shift)
               : multiply_by_quantized_multiplier(x * (b + op.alpha_offset), op.negative_multiplier,
                                                  op.negative_shift);
    return add_zero_point(scaled, op.output_offset, -128, 127);
  });
}

namespace {

// How far x can be shifted left without losing its sign.
int headroom(int32_t x) { return std::countl_zero(static_cast<uint32_t>(x < 0 ? ~x : x)) - 1; }

int8_t quotient(const DivOp& op, int32_t a, int32_t b) {
  if (b < 0) a = -a, b = -b;
  const fixed_point::Reciprocal inverse = fixed_point::reciprocal(b);
  const int up = headroom(a);
  const int32_t fine = fixed_point::high_multiply(
      static_cast<int32_t>(static_cast<uint32_t>(a) << up), inverse.multiplier);
  const int32_t scaled = fixed_point::rounding_shift_right(
      fixed_point::high_multiply(fine, op.multiplier), inverse.bits + up - op.shift);
  return add_zero_point(scaled, op.output_offset, op.activation_min, op.activation_max);
}

}  // namespace

void run(const DivOp& op, const Buffers& buffers) {
  const auto operands = operands_of<int8_t>(op.constants, buffers);
  for_each(op.broadcast, operands, buffers.output(), [&](int8_t a, int8_t b) {
    return quotient(op, a + op.input1_offset, b + op.input2_offset);
  });
}

void run(const AddNOp& op, const Buffers& buffers) {
  std::vector<const int8_t*> operands;
  size_t next = 0;
  for (const std::vector<int8_t>& constant : op.constants)
    operands.push_back(constant.empty() ? buffers.input(next++) : constant.data());
  for (int64_t i = 0; i < op.elements; ++i) {
    int32_t sum = op.base;
    for (const int8_t* operand : operands) sum += term(op.terms, operand[i]);
    buffers.output()[i] =
        add_zero_point(multiply_by_quantized_multiplier(sum, op.multiplier, op.shift),
                       op.output_offset, -128, 127);
  }
}

void run(const CumsumOp& op, const Buffers& buffers) {
  const auto finish = [&](uint32_t sum) {
    return add_zero_point(
        multiply_by_quantized_multiplier(static_cast<int32_t>(sum), op.multiplier, op.shift),
        op.output_offset, -128, 127);
  };
  for (int64_t outer = 0; outer < op.outer; ++outer)
    for (int64_t inner = 0; inner < op.inner; ++inner) {
      auto sum = static_cast<uint32_t>(op.base);
      for (int64_t i = 0; i < op.axis; ++i) {
        const int64_t along = op.reverse ? op.axis - 1 - i : i;
        const int64_t at = (outer * op.axis + along) * op.inner + inner;
        const uint32_t before = sum;
        sum += static_cast<uint32_t>(term(op.terms, buffers.input()[at]));
        buffers.output()[at] = finish(op.exclusive ? before : sum);
      }
    }
}

}  // namespace tinytune::reference
