// Functions from integers to int8 that never fall, as the integers where they rise.
//
// A scaling in float32 is rounded several times and follows no multiplier; but it never falls, so
// 255 integers say all of it, and eight comparisons find the byte.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace tinytune {

/// The 255 integers from which a function reaches each byte but the lowest, ascending: the byte is
/// -128 and one more for each step at or below.
using ByteSteps = std::vector<int32_t>;

/// The steps of `function` on [first, last]; INT32_MAX where a byte is not reached. `function` is
/// asked some 8,000 times.
ByteSteps find_byte_steps(int32_t first, int32_t last, const std::function<int(int32_t)>& function);

/// The byte of `value`.
int8_t byte_of(const ByteSteps& steps, int32_t value);

/// Floats that are not NaN in the order of the reals, as integers: the bits, with negative numbers
/// turned around. -0 is below 0.
int32_t key_of(float value);
float float_of_key(int32_t key);
inline constexpr int32_t kLeastFloatKey = -0x7f800001;  ///< minus infinity
inline constexpr int32_t kMostFloatKey = 0x7f800000;    ///< infinity

}  // namespace tinytune
