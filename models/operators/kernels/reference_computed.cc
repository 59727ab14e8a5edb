// FULLY_CONNECTED with computed weights or bias, by TensorFlow Lite Micro's steps.
#include <algorithm>
#include <cstring>

#include "models/reference/fixed_point.h"
#include "models/reference/reference.h"
#include "schedules/requantise.h"

namespace tinytune::reference {

void run(const ComputedDenseOp& op, const Buffers& buffers) {
  size_t next = 0;
  const auto operand = [&](size_t i) {
    return op.constants[i].empty() ? buffers.inputs[next++].data() : op.constants[i].data();
  };
  const uint8_t* input = operand(0);
  const auto* weights = reinterpret_cast<const int8_t*>(operand(1));
  const uint8_t* biases = op.has_bias ? operand(2) : nullptr;
  const bool wide = op.type == ElementType::kInt16;
  const auto x = [&](int64_t i) -> int32_t {
    if (!wide) return static_cast<int8_t>(input[i]);
    int16_t value;
    std::memcpy(&value, input + i * 2, sizeof value);
    return value;
  };
  const auto bias = [&](int64_t c) -> int64_t {
    int32_t narrow;
    int64_t value;
    if (biases == nullptr) return 0;
    if (op.bias_type == ElementType::kInt64) {
      std::memcpy(&value, biases + c * 8, sizeof value);
      return value;
    }
    std::memcpy(&narrow, biases + c * 4, sizeof narrow);
    return narrow;
  };
  for (int64_t row = 0; row < op.rows; ++row)
    for (int64_t c = 0; c < op.out_c; ++c) {
      uint64_t sum = static_cast<uint64_t>(bias(c));
      for (int64_t i = 0; i < op.in_c; ++i)
        sum += static_cast<uint64_t>(int64_t{x(row * op.in_c + i) + op.input_offset} *
                                     (weights[c * op.in_c + i] + op.weights_offset));
      const auto channel = static_cast<size_t>(c);
      const int32_t scaled =
          op.long_sums ? fixed_point::scale_long(static_cast<int64_t>(sum), op.multiplier[channel],
                                                 op.shift[channel])
                       : multiply_by_quantized_multiplier(
                             static_cast<int32_t>(sum), op.multiplier[channel], op.shift[channel]);
      const auto y = static_cast<int16_t>(std::clamp<int64_t>(
          int64_t{scaled} + op.output_offset, op.activation_min, op.activation_max));
      std::memcpy(buffers.outputs[0].data() + (row * op.out_c + c) * (wide ? 2 : 1), &y,
                  wide ? 2 : 1);
    }
}

}  // namespace tinytune::reference
