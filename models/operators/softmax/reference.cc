// SOFTMAX, by TensorFlow Lite Micro's steps.
#include "models/reference/reference.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "models/reference/fixed_point.h"

namespace tinytune::reference {
namespace {

constexpr int kSumIntegerBits = 12;

int32_t exponential(const SoftmaxOp& op, int difference) {
  const auto shifted =
      static_cast<int32_t>(static_cast<uint32_t>(difference) << op.input_left_shift);
  return fixed_point::exp_on_negative_values(
      fixed_point::high_multiply(shifted, op.input_multiplier));
}

template <typename T>
void run(const SoftmaxOp& op, const Buffers& buffers, T* output) {
  constexpr int kLow = std::numeric_limits<T>::min(), kHigh = std::numeric_limits<T>::max();
  for (int row = 0; row < op.rows; ++row) {
    const int8_t* x = buffers.input() + int64_t{row} * op.depth;
    T* y = output + int64_t{row} * op.depth;
    const int largest = *std::max_element(x, x + op.depth);

    uint32_t sum = 0;  // Q12.19
    for (int i = 0; i < op.depth; ++i)
      if (x[i] - largest >= op.diff_min)
        sum += static_cast<uint32_t>(
            fixed_point::rounding_shift_right(exponential(op, x[i] - largest), kSumIntegerBits));

    // 1 / sum: the leading one is taken out, the rest is 1 + f with f in [0, 1).
    const int leading_zeros = std::countl_zero(sum);
    const auto fraction = static_cast<int32_t>((sum << leading_zeros) - (uint32_t{1} << 31));
    const int32_t scale = fixed_point::one_over_one_plus(fraction);
    const int exponent = kSumIntegerBits - leading_zeros + 31 - op.output_bits();

    for (int i = 0; i < op.depth; ++i) {
      int value = kLow;
      if (x[i] - largest >= op.diff_min)
        value += fixed_point::rounding_shift_right(
            fixed_point::high_multiply(scale, exponential(op, x[i] - largest)), exponent);
      y[i] = static_cast<T>(std::clamp(value, kLow, kHigh));
    }
  }
}

}  // namespace

void run(const SoftmaxOp& op, const Buffers& buffers) {
  if (op.wide_output)
    run(op, buffers, buffers.wide_output());
  else
    run(op, buffers, buffers.output());
}

}  // namespace tinytune::reference
