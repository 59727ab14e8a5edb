// The transforms of Winograd's F(4x4, 3x3), scaled so that all of it is integer, modulo 2^32.
//
// Sixteen neighbouring outputs Y (4x4) of a 3x3 kernel g over a 6x6 patch d of inputs are
//   Y = A^T [(G g G^T) .* (B^T d B)] A
// with 36 products instead of 144. G holds 24ths. Its rows times 24, 24, 24, 24, 24 and 12 are
// integer, and A's last row times two makes up for the last: the result is 576 Y. As 576 is 64 * 9
// and 9 is odd, multiplying by 9's inverse modulo 2^32 gives 64 Y, whatever overflowed on the way,
// and a shift gives Y if it takes 26 bits.
//
// Bits of the factors: |G g G^T| <= 18432 for |g| <= 128, and |B^T d B| <= 12800 for |d| <= 128.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "templates/tile/ir_text.h"

namespace tinytune {

inline constexpr int kWinograd4Side = 6;  // of a patch, and of its points
inline constexpr int kWinograd4Points = kWinograd4Side * kWinograd4Side;

using Six = std::array<IrText::Value, kWinograd4Side>;

/// G g G^T of a kernel's nine weights, as scaled, row by row.
std::vector<int> winograd4_weights(std::span<const int, 9> kernel);

/// B^T of a column of the patch, then of a row of what that gives. It is sums and shifts by
/// constants, so it transforms two inputs `low + 65536 * high` at once.
Six winograd4_inputs(IrText& ir, const Six& d);

/// A^T of a column of sums, then of a row of what that gives: 576 times the outputs.
std::array<IrText::Value, 4> winograd4_outputs(IrText& ir, const Six& m);

/// An output times 64 is one of those times this, modulo 2^32.
inline constexpr uint32_t kWinograd4Inverse = 0x38E38E39;
inline constexpr int kWinograd4Shift = 6;
/// With so many, any sum of 9 * channels products of at most 2^14 is below 2^25.
inline constexpr int kWinograd4Channels = 227;

}  // namespace tinytune
