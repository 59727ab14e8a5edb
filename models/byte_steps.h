// Non-decreasing functions from integers to int8, stored as the inputs at which they rise.
//
// A float32 scaling rounds several times, so no fixed-point multiplier reproduces it. But it is
// non-decreasing, so 255 thresholds define it exactly, and eight comparisons find the byte.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace tinytune {

/// 255 thresholds, ascending: the least inputs that give each byte above -128. The byte is -128
/// plus the number of thresholds at or below the input.
using ByteSteps = std::vector<int32_t>;

/// Finds the thresholds of `function` on [first, last]; INT32_MAX for bytes that it does not reach.
/// Calls `function` some 8,000 times.
ByteSteps find_byte_steps(int32_t first, int32_t last, const std::function<int(int32_t)>& function);

/// Returns the byte of `value`.
int8_t byte_of(const ByteSteps& steps, int32_t value);

/// Maps a float that is not NaN to an integer with the same order: its bits, with the magnitude
/// bits of negative numbers inverted. -0 is below 0.
int32_t key_of(float value);
float float_of_key(int32_t key);
inline constexpr int32_t kLeastFloatKey = -0x7f800001;  ///< minus infinity
inline constexpr int32_t kMostFloatKey = 0x7f800000;    ///< infinity

}  // namespace tinytune
