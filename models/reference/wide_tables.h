// TFLite's tables of 513 points for functions of int16 values, and the linear interpolation between
// points.
#pragma once

#include <array>
#include <cstdint>

namespace tinytune {

using WideTable = std::array<int16_t, 513>;

/// exp, 15 fraction bits, from -10 to 0.
const WideTable& wide_exp_table();
/// 1 / (1 + x), 15 fraction bits, from 0 to 1.
const WideTable& wide_inverse_table();

/// Interpolates the table at x; its 512 intervals begin at -32768.
int16_t wide_lookup(const WideTable& table, int16_t x);

}  // namespace tinytune
