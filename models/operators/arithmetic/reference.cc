// SQUARED_DIFFERENCE, PRELU, DIV, ADD_N and CUMSUM, by TensorFlow Lite Micro's steps.
#include "models/reference/reference.h"

#include <bit>

#include "models/reference/broadcast.h"
#include "models/reference/fixed_point.h"
#include "schedules/requantise.h"

namespace tinytune::reference {

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

// Returns how far x can be shifted left without losing its sign.
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
