// Operators on int16 activations but the layers with weights.
#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "models/reference/broadcast.h"
#include "models/reference/gate_functions.h"
#include "models/reference/wide_tables.h"
#include "schedules/requantise.h"

namespace tinytune::reference {
namespace {

int16_t clamped(int32_t value, int low, int high) {
  return static_cast<int16_t>(std::clamp(value, low, high));
}

}  // namespace

void run(const WideAddOp& op, const Buffers& buffers) {
  const auto operands = operands_of<int16_t>(op.constants, buffers);
  for_each(op.broadcast, operands, buffers.wide_output(), [&](int16_t a, int16_t b) {
    constexpr int kUnit = 1 << WideAddOp::kLeftShift;
    const int32_t x =
        multiply_by_quantized_multiplier(a * kUnit, op.input1_multiplier, op.input1_shift);
    const int32_t y =
        multiply_by_quantized_multiplier(b * kUnit, op.input2_multiplier, op.input2_shift);
    return clamped(multiply_by_quantized_multiplier(op.subtract ? x - y : x + y,
                                                    op.output_multiplier, op.output_shift),
                   op.activation_min, op.activation_max);
  });
}

void run(const WideMulOp& op, const Buffers& buffers) {
  const auto operands = operands_of<int16_t>(op.constants, buffers);
  for_each(op.broadcast, operands, buffers.wide_output(), [&](int16_t a, int16_t b) {
    return clamped(multiply_by_quantized_multiplier(a * b, op.multiplier, op.shift),
                   op.activation_min, op.activation_max);
  });
}

void run(const WideGateOp& op, const Buffers& buffers) {
  const TableStep step{op.factor, op.shift};
  for (int64_t i = 0; i < op.elements; ++i) {
    const int16_t x = buffers.wide_input()[i];
    buffers.wide_output()[i] = op.is_tanh ? tanh_16(x, step) : logistic_16(x, step);
  }
}

void run(const WideSoftmaxOp& op, const Buffers& buffers) {
  for (int row = 0; row < op.rows; ++row) {
    const int16_t* x = buffers.wide_input() + int64_t{row} * op.depth;
    int16_t* y = buffers.wide_output() + int64_t{row} * op.depth;
    const int largest = *std::max_element(x, x + op.depth);
    uint32_t sum = 0;  // Q16.15
    for (int i = 0; i < op.depth; ++i) {
      const int32_t scaled =
          multiply_by_quantized_multiplier(x[i] - largest, op.multiplier, op.shift) + 32767;
      y[i] = wide_lookup(wide_exp_table(), clamped(scaled, -32768, 32767));
      sum += static_cast<uint32_t>(y[i]);
    }
    // The sum, from 1 to 2 once its leading one is in place, less 1.
    const int headroom = std::countl_zero(sum) - 1;
    const auto normal = static_cast<int32_t>(((sum << headroom) + (1 << 13)) >> 14);
    const int32_t inverse =
        wide_lookup(wide_inverse_table(), clamped(normal - 3 * 32768, -32768, 32767));
    const int right = 30 - headroom;
    for (int i = 0; i < op.depth; ++i)
      y[i] = clamped((y[i] * inverse + (1 << (right - 1))) >> right, 0, 32767);
  }
}

namespace {

int32_t read_integer(ElementType type, const uint8_t* at) {
  int8_t byte;
  int16_t half;
  int32_t word;
  switch (type) {
    case ElementType::kInt8:
      std::memcpy(&byte, at, sizeof byte);
      return byte;
    case ElementType::kInt16:
      std::memcpy(&half, at, sizeof half);
      return half;
    default:
      std::memcpy(&word, at, sizeof word);
      return word;
  }
}

}  // namespace

void run(const RescaleOp& op, const Buffers& buffers) {
  const size_t from = size_of(op.from), to = size_of(op.to);
  for (size_t i = 0; i < static_cast<size_t>(op.elements); ++i) {
    const auto x =
        static_cast<uint32_t>(read_integer(op.from, buffers.inputs[0].data() + i * from));
    const auto less = static_cast<int32_t>(x - static_cast<uint32_t>(op.input_zero_point));
    const RescaleOp::Scale& scale = less < 0 ? op.negative : op.positive;
    const int64_t sum =
        int64_t{multiply_by_quantized_multiplier(less, scale.multiplier, scale.shift)} +
        op.output_zero_point;
    const auto y = static_cast<int32_t>(std::clamp<int64_t>(sum, op.low, op.high));
    std::memcpy(buffers.outputs[0].data() + i * to, &y, to);  // little-endian
  }
}

}  // namespace tinytune::reference
