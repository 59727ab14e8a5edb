// AVERAGE_POOL_2D and MAX_POOL_2D, by TensorFlow Lite Micro's steps.
#include "models/reference/reference.h"

#include <algorithm>
#include <limits>

#include "models/operators/pooling/window.h"

namespace tinytune::reference {
namespace {

// Rounds halves away from zero; only taps inside the input count.
int rounded_mean(int sum, int count) {
  return sum > 0 ? (sum + count / 2) / count : (sum - count / 2) / count;
}

template <typename T>
void pool(const PoolOp& op, const T* input, T* output) {
  for (int n = 0; n < op.batch; ++n)
    for (int oh = 0; oh < op.out_h; ++oh)
      for (int ow = 0; ow < op.out_w; ++ow) {
        const PoolWindow window = window_at(op, oh, ow);
        for (int c = 0; c < op.channels; ++c) {
          int sum = 0, largest = std::numeric_limits<T>::min();
          for (int y = window.first_row; y < window.last_row; ++y)
            for (int x = window.first_col; x < window.last_col; ++x) {
              const T value = input[input_place(op, n, y, x, c)];
              sum += value;
              largest = std::max<int>(largest, value);
            }
          const int value = op.average ? rounded_mean(sum, window.taps()) : largest;
          *output++ = static_cast<T>(std::clamp(value, op.activation_min, op.activation_max));
        }
      }
}

}  // namespace

void run(const PoolOp& op, const Buffers& buffers) { pool(op, buffers.input(), buffers.output()); }

void run(const WidePoolOp& op, const Buffers& buffers) {
  pool(op.pool, buffers.wide_input(), buffers.wide_output());
}

}  // namespace tinytune::reference
