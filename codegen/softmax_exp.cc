#include "codegen/softmax_exp.h"

#include <algorithm>

#include "schedules/requantise.h"

namespace tinytune {
namespace {

// Fixed point: Qa.b has a integer bits and b fractional ones. Rounding as gemmlowp rounds.
int32_t high_mul(int32_t a, int32_t b) {
  return static_cast<int32_t>((int64_t{a} * b + (int64_t{1} << 30)) >> 31);
}

int32_t rounding_shift_right(int32_t x, int shift) {
  const int32_t mask = (1 << shift) - 1, rest = x & mask;
  return (x >> shift) + (rest > (mask >> 1) + (x < 0 ? 1 : 0) ? 1 : 0);
}

// exp on [-1/4, 0): Taylor's series around -1/8, in Q0.31.
int32_t exp_of_last_quarter(int32_t a) {
  constexpr int32_t kExpMinusEighth = 1895147668, kThird = 715827883;
  const int32_t x = a + (1 << 28);
  const int32_t x2 = high_mul(x, x), x3 = high_mul(x2, x), x4 = high_mul(x2, x2);
  const int32_t x4_over_4 = rounding_shift_right(x4, 2);
  const int32_t tail = rounding_shift_right(high_mul(x4_over_4 + x3, kThird) + x2, 1);
  return kExpMinusEighth + high_mul(kExpMinusEighth, x + tail);
}

// exp of a Q5.26 number that is not positive, in Q0.31: the quarter it ends in by the series, then
// a factor for each bit of what is left.
int32_t exp_on_negative(int32_t a) {
  if (a == 0) return INT32_MAX;
  constexpr int32_t kQuarter = 1 << 24;
  constexpr int32_t kFactors[] = {1672461947, 1302514674, 790015084, 290630308,
                                  39332535,   720401,     242};  // e^-(2^-2), …, e^-(2^4)
  const int32_t within = (a & (kQuarter - 1)) - kQuarter;
  int32_t result = exp_of_last_quarter(within * 32);
  const int32_t rest = within - a;
  for (int i = 0; i < 7; ++i)
    if ((rest & (kQuarter << i)) != 0) result = high_mul(result, kFactors[i]);
  return result;
}

}  // namespace

std::vector<int32_t> softmax_exp_table(const SoftmaxOp& op) {
  std::vector<int32_t> table;
  for (int d = 0; d <= 255 && -d >= op.diff_min; ++d)
    table.push_back(exp_on_negative(
        multiply_by_quantized_multiplier(-d, op.input_multiplier, op.input_left_shift)));
  return table;
}

}  // namespace tinytune
