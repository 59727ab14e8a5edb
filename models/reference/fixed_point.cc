#include "models/reference/fixed_point.h"

#include <algorithm>
#include <bit>

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

int32_t exp_on_negative_values(int32_t x, int integer_bits) {
  if (x == 0) return INT32_MAX;
  // x = r - k/4 with r in [-1/4, 0): the polynomial for r, a table of exp(-2^i) for the rest.
  const int fraction = 31 - integer_bits;
  const int32_t quarter = 1 << (fraction - 2);
  const int32_t remainder = (x & (quarter - 1)) - quarter;
  int32_t result = exp_between_minus_quarter_and_zero(
      static_cast<int32_t>(static_cast<uint32_t>(remainder) << integer_bits));
  const auto rest = static_cast<uint32_t>(remainder) - static_cast<uint32_t>(x);
  constexpr int32_t kExpOfMinusPower[] = {1672461947, 1302514674, 790015084, 290630308,
                                          39332535,   720401,     242};  // 2^-2 … 2^4, Q0.31
  for (int i = 0; i < integer_bits + 2; ++i)
    if (rest & (uint32_t{1} << (fraction - 2 + i)))
      result = high_multiply(result, kExpOfMinusPower[i]);
  return result;
}

namespace {

// 2 / (1 + x) as Q2.29, by Newton-Raphson on (1 + x) / 2, whose reciprocal lies in [1, 2].
int32_t two_over_one_plus(int32_t x) {
  constexpr int32_t k48Over17 = 1515870810, kMinus32Over17 = -1010580540, kOne = 1 << 29;
  const int64_t sum = int64_t{x} + INT32_MAX;
  const auto half = static_cast<int32_t>((sum + (sum >= 0 ? 1 : -1)) / 2);
  int32_t estimate = wrapping_add(k48Over17, high_multiply(half, kMinus32Over17));
  for (int i = 0; i < 3; ++i) {
    const int32_t error = kOne - high_multiply(half, estimate);
    estimate = wrapping_add(estimate, saturating_shift_left(high_multiply(estimate, error), 2));
  }
  return estimate;
}

int16_t saturate_16(int64_t x) {
  return static_cast<int16_t>(std::clamp<int64_t>(x, INT16_MIN, INT16_MAX));
}

// As high_multiply, on 16 bits.
int16_t high_multiply_16(int16_t a, int16_t b) {
  if (a == INT16_MIN && b == INT16_MIN) return INT16_MAX;
  return static_cast<int16_t>((a * b + (1 << 14)) >> 15);
}

}  // namespace

int32_t one_over_one_plus(int32_t x) { return saturating_shift_left(two_over_one_plus(x), 1); }

// Newton's iteration x <- x (3 - a x^2) / 2 from 1, on `a` shifted by pairs of bits into [1/4, 1)
// with three integer bits.
InverseRoot inverse_square_root(int32_t x) {
  if (x <= 1) return {INT32_MAX, 0};
  int right = 11;
  for (; x >= 1 << 29; x /= 4) ++right;
  const int pairs = (std::countl_zero(static_cast<uint32_t>(x)) - 1) / 2 - 1;
  right -= pairs;
  x <<= 2 * pairs;
  constexpr int32_t kThreeHalves = 3 << 27, kHalfRootOfTwo = 1518500250;
  const int32_t half = rounding_shift_right(x >> 1, 1);
  int32_t root = 1 << 28;
  for (int i = 0; i < 5; ++i) {
    const int32_t cube = saturating_shift_left(high_multiply(high_multiply(root, root), root), 6);
    root = saturating_shift_left(
        wrapping_add(high_multiply(kThreeHalves, root), -high_multiply(half, cube)), 3);
  }
  root = high_multiply(root, kHalfRootOfTwo);
  if (right < 0) {
    root <<= -right;
    right = 0;
  }
  return {root, -right};
}

Reciprocal reciprocal(int32_t x) {
  const int up = std::countl_zero(static_cast<uint32_t>(x));
  const auto leading_one =
      static_cast<uint32_t>(uint64_t{static_cast<uint32_t>(x)} << up);  // 0 has none
  const auto fraction = static_cast<int32_t>(leading_one - (uint32_t{1} << 31));
  return {one_over_one_plus(fraction), 31 - up};
}

// log(r 2^k) = k log(2) + log(r). Of two candidates for (r, k), from x and from x / sqrt(2), takes
// the one with the smaller r, so that r is near 2^-1/4, around which a rational function
// approximates the logarithm.
int32_t log_of_sum(int32_t x) {
  constexpr int kIntegerBits = 12, kExponentFraction = 25;  // exponents are Q6.25
  constexpr int32_t kLog2 = 1488522236, kFourthRootOfHalf = 1805811301, kRootOfHalf = 1518500250;
  constexpr int32_t kQuarter = 1 << (kExponentFraction - 2);
  constexpr int32_t kN = 117049297, kD = 127690142, kI = 1057819769, kF = 638450708;
  const int zeros_a = std::countl_zero(static_cast<uint32_t>(x));
  const int32_t shifted = saturating_shift_left(x, zeros_a - 1);
  const int32_t r_a = saturating_shift_left(high_multiply(shifted, kRootOfHalf), 1);
  const int32_t exponent_a = (kIntegerBits - zeros_a) * (1 << kExponentFraction) + kQuarter;
  const int32_t smaller = high_multiply(x, kRootOfHalf);
  const int zeros_b = std::countl_zero(static_cast<uint32_t>(smaller)) - 1;
  const int32_t r_b = saturating_shift_left(x, zeros_b);
  const int32_t exponent_b = (kIntegerBits - zeros_b) * (1 << kExponentFraction) - kQuarter;

  const int32_t r = std::min(r_a, r_b), exponent = std::max(exponent_a, exponent_b);
  const int64_t twice = int64_t{r} + kFourthRootOfHalf;
  const auto p = static_cast<int32_t>((twice + (twice >= 0 ? 1 : -1)) / 2);
  const int32_t q = 2 * (r - kFourthRootOfHalf);
  const int32_t q2 = high_multiply(q, q);
  const int32_t numerator =
      wrapping_add(high_multiply(q, r), high_multiply(high_multiply(q, q2), kN));
  const int32_t denominator =
      wrapping_add(high_multiply(p, wrapping_add(wrapping_add(kI, q), high_multiply(kD, q2))),
                   high_multiply(kF, q));
  const int32_t rest =
      high_multiply(rounding_shift_right(numerator, 6), one_over_one_plus(denominator));
  return saturating_shift_left(wrapping_add(high_multiply(exponent, kLog2), rest), 1);
}

int32_t logistic(int32_t x) {
  if (x == 0) return 1 << 30;
  const int32_t positive = one_over_one_plus(exp_on_negative_values(x > 0 ? -x : x, 4));
  return x > 0 ? positive : INT32_MAX - positive;
}

int32_t tanh(int32_t x) {
  if (x == 0) return 0;
  // exp(-2|x|): the same bits read with one more integer bit. Then (1 - e) / (1 + e).
  const int32_t e = exp_on_negative_values(x > 0 ? -x : x, 5);
  const int32_t t = saturating_shift_left(two_over_one_plus(e) - (1 << 29), 2);
  return x > 0 ? t : -t;
}

int16_t high_half(int32_t multiplier) {
  constexpr int32_t kHalf = 1 << 15;
  if (multiplier >= INT32_MAX - kHalf) return INT16_MAX;
  return static_cast<int16_t>((multiplier + kHalf) >> 16);
}

int32_t scale_long(int64_t x, int32_t multiplier, int shift) {
  const int right = 15 - shift;
  return static_cast<int32_t>((x * high_half(multiplier) + (int64_t{1} << (right - 1))) >> right);
}

int hard_swish_16(int value, int16_t output_multiplier, int output_shift, int16_t gate_multiplier,
                  int gate_shift) {
  const auto fine = static_cast<int16_t>(value * 128);
  const int16_t scaled = high_multiply_16(fine, output_multiplier);
  // The gate: x mapped from [-3, 3] to [-1, 1]. The last left shift comes after the multiply, so
  // that only it saturates the result.
  int16_t gate = fine;
  if (gate_shift > 0) gate = saturate_16(int64_t{gate} << (gate_shift - 1));
  gate = high_multiply_16(gate, gate_multiplier);
  if (gate_shift > 0) gate = saturate_16(int64_t{gate} * 2);
  if (gate_shift < 0) gate = static_cast<int16_t>(rounding_shift_right(gate, -gate_shift));
  gate = static_cast<int16_t>((gate + (1 << 15)) >> 1);
  // Truncated, not rounded: it cancels the bias of the roundings before.
  const auto product = static_cast<int16_t>(gate * scaled / (1 << 15));
  return rounding_shift_right(product, -output_shift);
}

}  // namespace tinytune::fixed_point
