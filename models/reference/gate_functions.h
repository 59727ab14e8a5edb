// The logistic function and tanh of 16-bit gates, as TFLite's integer kernels compute them: linear
// interpolation between the 256 points of one table, since tanh(x) = 2 logistic(2x) - 1.
#pragma once

#include <cstdint>
#include <span>

namespace tinytune {

/// 65536 / (1 + exp(-i / 24)) - 32768, as rounded in TFLite's table: no rule gives every last bit.
std::span<const int16_t, 256> logistic_table();

/// TFLite's scaling of a value to the table, in which 3 is 1 / 4096: (x * factor + half) >> shift.
struct TableStep {
  int32_t factor = 0;
  int shift = 0;
  int32_t half() const { return shift > 0 ? 1 << (shift - 1) : 0; }
};
/// Returns the scaling of a value of scale 2^power; -31 <= power <= 0.
TableStep table_step(int power);

/// The logistic function, 15 fraction bits; by default of a value with 12.
int16_t logistic_16(int16_t x, TableStep step = {3, 0});

/// tanh, 15 fraction bits.
int16_t tanh_16(int16_t x, TableStep step);

}  // namespace tinytune
