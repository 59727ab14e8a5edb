// ONNX's SOFTMAX: what its float arithmetic gives, from the form's tables.
#include <algorithm>

#include "models/reference/reference.h"

namespace tinytune::reference {

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
