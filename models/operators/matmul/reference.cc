// BATCH_MATMUL, by TensorFlow Lite Micro's steps.
#include "models/reference/reference.h"

#include <cstring>

#include "models/byte_steps.h"
#include "schedules/requantise.h"

namespace tinytune::reference {

void run(const MatMulOp& op, const Buffers& buffers) {
  size_t next = 0;
  const auto operand = [&](const MatMulOp::Side& side) {
    return side.constant.empty() ? buffers.input(next++) : side.constant.data();
  };
  const int8_t *left = operand(op.left), *right = operand(op.right);
  int8_t* output = buffers.output();
  const auto start = [](const MatMulOp::Side& side, int a, int b, int c) {
    return a * side.batch_steps[0] + b * side.batch_steps[1] + c * side.batch_steps[2];
  };
  for (int a = 0; a < op.batches[0]; ++a)
    for (int b = 0; b < op.batches[1]; ++b)
      for (int c = 0; c < op.batches[2]; ++c)
        for (int row = 0; row < op.rows; ++row)
          for (int column = 0; column < op.columns; ++column) {
            const int8_t* x = left + start(op.left, a, b, c) + row * op.left.step;
            const int8_t* y = right + start(op.right, a, b, c) + column * op.right.step;
            int32_t sum = 0;
            for (int d = 0; d < op.depth; ++d)
              sum += (x[d * op.left.depth_step] + op.left.offset) *
                     (y[d * op.right.depth_step] + op.right.offset);
            if (op.multiplier == 0 && op.steps.empty()) {
              std::memcpy(output, &sum, sizeof sum);
              output += sizeof sum;
              continue;
            }
            *output++ =
                !op.steps.empty()
                    ? byte_of(op.steps, sum)
                    : add_zero_point(multiply_by_quantized_multiplier(sum, op.multiplier, op.shift),
                                     op.output_offset, -128, 127);
          }
}

}  // namespace tinytune::reference
