// The tables of 513 points through which TFLite computes functions of int16 values, and the lines
// between them.
#pragma once

#include <array>
#include <cstdint>

namespace tinytune {

using WideTable = std::array<int16_t, 513>;

/// exp, 15 fraction bits, from -10 to 0.
const WideTable& wide_exp_table();
/// 1 / (1 + x), 15 fraction bits, from 0 to 1.
const WideTable& wide_inverse_table();

/// The table's function of x: 512 lines, from -32768 on.
int16_t wide_lookup(const WideTable& table, int16_t x);

}  // namespace tinytune
