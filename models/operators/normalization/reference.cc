// L2_NORMALIZATION and LOG_SOFTMAX, by TensorFlow Lite Micro's steps.
#include "models/reference/reference.h"

#include <algorithm>

#include "models/reference/fixed_point.h"
#include "schedules/requantise.h"

namespace tinytune::reference {

void run(const L2NormalizationOp& op, const Buffers& buffers) {
  constexpr int kOutputFraction = 7;
  const int8_t* x = buffers.input();
  int8_t* y = buffers.output();
  for (int row = 0; row < op.rows; ++row, x += op.depth, y += op.depth) {
    int32_t squares = 0;
    for (int i = 0; i < op.depth; ++i)
      squares += (x[i] + op.input_offset) * (x[i] + op.input_offset);
    const auto root = fixed_point::inverse_square_root(squares);
    for (int i = 0; i < op.depth; ++i)
      y[i] =
          add_zero_point(multiply_by_quantized_multiplier(x[i] + op.input_offset, root.multiplier,
                                                          root.shift + kOutputFraction),
                         0, -128, 127);
  }
}

void run(const LogSoftmaxOp& op, const Buffers& buffers) {
  const int8_t* x = buffers.input();
  int8_t* y = buffers.output();
  for (int row = 0; row < op.rows; ++row, x += op.depth, y += op.depth) {
    const int largest = *std::max_element(x, x + op.depth);
    const auto difference = [&](int i) {
      return op.differences[static_cast<size_t>(largest - x[i])];
    };
    int32_t sum = 0;  // Q12.19
    for (int i = 0; i < op.depth; ++i)
      if (x[i] - largest >= op.diff_min)
        sum += fixed_point::rounding_shift_right(fixed_point::exp_on_negative_values(difference(i)),
                                                 12);
    const int32_t log = fixed_point::log_of_sum(sum);  // Q5.26
    // Below this the result would not fit Q5.26.
    const int32_t least = std::max(
        op.diff_min - 1,
        multiply_by_quantized_multiplier(log + INT32_MIN, op.reverse_multiplier, op.reverse_shift));
    for (int i = 0; i < op.depth; ++i)
      y[i] = x[i] - largest > least
                 ? add_zero_point(fixed_point::rounding_shift_right(difference(i) - log, 22), 127,
                                  -128, 127)
                 : int8_t{-128};
  }
}

}  // namespace tinytune::reference
