// ONNX's averages of windows: what its float arithmetic gives, from the form's tables.
#include <bit>

#include "models/byte_steps.h"
#include "models/operators/pooling/window.h"
#include "models/reference/broadcast.h"
#include "models/reference/reference.h"

namespace tinytune::reference {

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

}  // namespace tinytune::reference
