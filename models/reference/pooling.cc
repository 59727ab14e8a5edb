#include <algorithm>
#include <limits>

#include "models/reference/reference.h"

namespace tinytune::reference {
namespace {

// Half away from zero; only taps inside the input count.
int rounded_mean(int sum, int count) {
  return sum > 0 ? (sum + count / 2) / count : (sum - count / 2) / count;
}

template <typename T>
void pool(const PoolOp& op, const T* input, T* output) {
  for (int n = 0; n < op.batch; ++n)
    for (int oh = 0; oh < op.out_h; ++oh)
      for (int ow = 0; ow < op.out_w; ++ow) {
        const int top = oh * op.stride_h - op.pad_top, left = ow * op.stride_w - op.pad_left;
        const int first_row = std::max(0, top), last_row = std::min(op.in_h, top + op.filter_h);
        const int first_col = std::max(0, left), last_col = std::min(op.in_w, left + op.filter_w);
        for (int c = 0; c < op.channels; ++c) {
          int sum = 0, count = 0, largest = std::numeric_limits<T>::min();
          for (int y = first_row; y < last_row; ++y)
            for (int x = first_col; x < last_col; ++x) {
              const int64_t at = ((int64_t{n} * op.in_h + y) * op.in_w + x) * op.channels + c;
              sum += input[at];
              largest = std::max<int>(largest, input[at]);
              ++count;
            }
          const int value = op.average ? rounded_mean(sum, count) : largest;
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
