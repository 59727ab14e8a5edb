#include "models/reference/fixed_point.h"

#include <algorithm>

namespace tinytune::fixed_point {
namespace {

int32_t saturate(int64_t x) {
  return static_cast<int32_t>(std::clamp<int64_t>(x, INT32_MIN, INT32_MAX));
}

int32_t wrapping_add(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
}

// exp(x) as Q0.31 for x in [-1/4, 0), Q0.31: Taylor's polynomial of degree 4 around -1/8.
int32_t exp_between_minus_quarter_and_zero(int32_t a) {
  constexpr int32_t kExpOfMinusEighth = 1895147668, kThird = 715827883;
  const int32_t x = wrapping_add(a, 1 << 28);
  const int32_t x2 = high_multiply(x, x);
  const int32_t x3 = high_multiply(x2, x);
  const int32_t x4 = high_multiply(x2, x2);
  const int32_t x4_over_4 = rounding_shift_right(x4, 2);
  const int32_t rest =
      rounding_shift_right(wrapping_add(high_multiply(wrapping_add(x4_over_4, x3), kThird), x2), 1);
  return wrapping_add(kExpOfMinusEighth, high_multiply(kExpOfMinusEighth, wrapping_add(x, rest)));
}

}  // namespace

int32_t high_multiply(int32_t a, int32_t b) {
  if (a == INT32_MIN && b == INT32_MIN) return INT32_MAX;
  return static_cast<int32_t>((int64_t{a} * b + (int64_t{1} << 30)) >> 31);
}

int32_t rounding_shift_right(int32_t x, int exponent) {
  if (exponent > 31) return 0;
  if (exponent == 0) return x;
  const int64_t half = int64_t{1} << (exponent - 1);
  const int64_t magnitude = (x < 0 ? -int64_t{x} : int64_t{x}) + half;
  const auto result = static_cast<int32_t>(magnitude >> exponent);
  return x < 0 ? -result : result;
}

int32_t saturating_shift_left(int32_t x, int exponent) { return saturate(int64_t{x} << exponent); }

int32_t exp_on_negative_values(int32_t x) {
  if (x == 0) return INT32_MAX;
  // x = r - k/4 with r in [-1/4, 0): the polynomial for r, a table of exp(-2^i) for the rest.
  constexpr int kFraction = 26;
  constexpr int32_t kQuarter = 1 << (kFraction - 2);
  const int32_t remainder = (x & (kQuarter - 1)) - kQuarter;
  int32_t result = exp_between_minus_quarter_and_zero(
      static_cast<int32_t>(static_cast<uint32_t>(remainder) << 5));
  const auto rest = static_cast<uint32_t>(remainder) - static_cast<uint32_t>(x);
  constexpr int32_t kExpOfMinusPower[] = {1672461947, 1302514674, 790015084, 290630308,
                                          39332535,   720401,     242};  // 2^-2 … 2^4, Q0.31
  for (int i = 0; i < 7; ++i)
    if (rest & (uint32_t{1} << (kFraction - 2 + i)))
      result = high_multiply(result, kExpOfMinusPower[i]);
  return result;
}

int32_t one_over_one_plus(int32_t x) {
  // Newton-Raphson on (1 + x) / 2, whose reciprocal lies in [1, 2]: Q2.29 throughout.
  constexpr int32_t k48Over17 = 1515870810, kMinus32Over17 = -1010580540, kOne = 1 << 29;
  const int64_t sum = int64_t{x} + INT32_MAX;
  const auto half = static_cast<int32_t>((sum + (sum >= 0 ? 1 : -1)) / 2);
  int32_t estimate = wrapping_add(k48Over17, high_multiply(half, kMinus32Over17));
  for (int i = 0; i < 3; ++i) {
    const int32_t error = kOne - high_multiply(half, estimate);
    estimate = wrapping_add(estimate, saturating_shift_left(high_multiply(estimate, error), 2));
  }
  return saturating_shift_left(estimate, 1);
}

}  // namespace tinytune::fixed_point
