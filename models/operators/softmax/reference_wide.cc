// SOFTMAX of int16, by TensorFlow Lite Micro's steps.
#include <algorithm>
#include <bit>

#include "models/reference/reference.h"
#include "models/reference/wide_tables.h"
#include "schedules/requantise.h"

namespace tinytune::reference {
void run(const WideSoftmaxOp& op, const Buffers& buffers) {
  for (int row = 0; row < op.rows; ++row) {
    const int16_t* x = buffers.wide_input() + int64_t{row} * op.depth;
    int16_t* y = buffers.wide_output() + int64_t{row} * op.depth;
    const int largest = *std::max_element(x, x + op.depth);
    uint32_t sum = 0;  // Q16.15
    for (int i = 0; i < op.depth; ++i) {
      const int32_t scaled =
          multiply_by_quantized_multiplier(x[i] - largest, op.multiplier, op.shift) + 32767;
      y[i] = wide_lookup(wide_exp_table(), clamped_16(scaled, -32768, 32767));
      sum += static_cast<uint32_t>(y[i]);
    }
    // The normalised sum, from 1 to 2, less 1.
    const int headroom = std::countl_zero(sum) - 1;
    const auto normal = static_cast<int32_t>(((sum << headroom) + (1 << 13)) >> 14);
    const int32_t inverse =
        wide_lookup(wide_inverse_table(), clamped_16(normal - 3 * 32768, -32768, 32767));
    const int right = 30 - headroom;
    for (int i = 0; i < op.depth; ++i)
      y[i] = clamped_16((y[i] * inverse + (1 << (right - 1))) >> right, 0, 32767);
  }
}

}  // namespace tinytune::reference
