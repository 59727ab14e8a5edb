#include <algorithm>
#include <bit>

#include "models/byte_steps.h"
#include "models/reference/broadcast.h"
#include "models/reference/pool_window.h"
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

void run(const FloatPoolOp& any, const Buffers& buffers) {
  const PoolOp& op = any.pool;
  const int8_t* input = buffers.input();
  int8_t* output = buffers.output();
  for (int n = 0; n < op.batch; ++n)
    for (int oh = 0; oh < op.out_h; ++oh)
      for (int ow = 0; ow < op.out_w; ++ow) {
        const PoolWindow window = window_at(op, oh, ow);
        const ByteSteps& steps = any.steps.at(window.taps());
        for (int c = 0; c < op.channels; ++c) {
          float sum = 0;
          for (int y = window.first_row; y < window.last_row; ++y)
            for (int x = window.first_col; x < window.last_col; ++x)
              sum += std::bit_cast<float>(term(any.terms, input[input_place(op, n, y, x, c)]));
          *output++ = byte_of(steps, key_of(sum));
        }
      }
}

void run(const SteppedSoftmaxOp& op, const Buffers& buffers) {
  for (int row = 0; row < op.rows; ++row) {
    const int8_t* x = buffers.input() + int64_t{row} * op.depth;
    int8_t* y = buffers.output() + int64_t{row} * op.depth;
    const int largest = *std::max_element(x, x + op.depth);
    uint32_t sum = 0;
    for (int i = 0; i < op.depth; ++i) sum += op.exp[static_cast<size_t>(largest - x[i])];
    for (int i = 0; i < op.depth; ++i) {
      const uint64_t exp = uint64_t{op.exp[static_cast<size_t>(largest - x[i])]} << 32;
      int level = op.first;
      bool odd = op.first_is_odd;
      for (const uint32_t step : op.steps) {
        if (exp < uint64_t{step} * sum + (odd ? 1 : 0)) break;
        ++level;
        odd = !odd;
      }
      y[i] = static_cast<int8_t>(level);
    }
  }
}

}  // namespace tinytune::reference
