// The fixed-point functions that TFLite takes from gemmlowp, on raw 32-bit values.
//
// "Qm.n" below has m integer bits and n = 31 - m fraction bits. Every function rounds exactly
// where gemmlowp's does; that is all they are for.
#pragma once

#include <cstdint>

namespace tinytune::fixed_point {

/// floor((2ab + 2^31) / 2^32), saturated for a = b = INT32_MIN.
int32_t high_multiply(int32_t a, int32_t b);

/// x / 2^exponent, halves away from zero; 0 for exponents from 32 on.
int32_t rounding_shift_right(int32_t x, int exponent);

/// x * 2^exponent, saturated.
int32_t saturating_shift_left(int32_t x, int exponent);

/// TFLite's MultiplyByQuantizedMultiplier of a 64-bit sum below 2^47 in magnitude: multiplies by
/// high_half(multiplier), rounds halves up and wraps outside int32. `shift` is at most 7.
int32_t scale_long(int64_t x, int32_t multiplier, int shift);

/// 1 / sqrt(x) = multiplier * 2^(shift - 31) for an integer x > 0; `shift` > 0 shifts left.
struct InverseRoot {
  int32_t multiplier = 0;
  int shift = 0;
};
InverseRoot inverse_square_root(int32_t x);

/// 1 / x = multiplier * 2^(-bits - 31) for an integer x > 0; for 1 the result is just below 1. For
/// 0, the result of TFLite Micro's arithmetic in a release build: its iteration runs from a
/// fraction of -1.
struct Reciprocal {
  int32_t multiplier = 0;
  int bits = 0;
};
Reciprocal reciprocal(int32_t x);

/// exp(x) as Q0.31 of a value x <= 0 with 4 or 5 integer bits.
int32_t exp_on_negative_values(int32_t x, int integer_bits = 5);

/// 1 / (1 + x) as Q0.31 of a Q0.31 value x in [0, 1].
int32_t one_over_one_plus(int32_t x);

/// The natural logarithm, Q5.26, of a Q12.19 value of at least 1.
int32_t log_of_sum(int32_t x);

/// 1 / (1 + exp(-x)) and tanh(x) as Q0.31 of a Q4.27 value.
int32_t logistic(int32_t x);
int32_t tanh(int32_t x);

/// The upper 16 bits of a multiplier, rounded.
int16_t high_half(int32_t multiplier);

/// HARD_SWISH of a value less its zero point, before the output's zero point is added. 16-bit
/// arithmetic throughout; the shifts are QuantizeMultiplier's.
int hard_swish_16(int value, int16_t output_multiplier, int output_shift, int16_t gate_multiplier,
                  int gate_shift);

}  // namespace tinytune::fixed_point
