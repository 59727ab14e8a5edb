// The transforms of Winograd's F(2x2, 3x3) and F(4x4, 3x3), scaled so that all of it is integer.
//
// A square of neighbouring outputs Y of a 3x3 kernel g over a patch d of inputs, which is two rows
// and columns larger, is
//   Y = A^T [(G g G^T) .* (B^T d B)] A
// with one product for every input of the patch.
//
// 2x2: 16 products instead of 36. G holds halves; with 2G in its place everything is integer and
// the result is 4Y. Bits: |d| <= 128 gives |B^T d B| <= 512, |g| <= 128 gives |(2G) g (2G)^T| <=
// 1152, so both factors fit 16 bits; sums wrap, and 4Y is exact once it fits 32 bits itself.
//
// 4x4: 36 products instead of 144, modulo 2^32. G holds 24ths. Its rows times 24, 24, 24, 24, 24
// and 12 are integer, and A's last row times two makes up for the last: the result is 576 Y. As 576
// is 64 * 9 and 9 is odd, multiplying by 9's inverse modulo 2^32 gives 64 Y, whatever overflowed on
// the way, and a shift gives Y if it takes 26 bits. Bits of the factors: |G g G^T| <= 18432 for |g|
// <= 128, and |B^T d B| <= 12800 for |d| <= 128.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "templates/tile/ir_text.h"

namespace tinytune {

/// Inputs along one side of the patch of a `square` (2 or 4) of outputs.
constexpr int winograd_side(int square) { return square + 2; }

/// G g G^T of a kernel's nine weights, as scaled, row by row.
std::vector<int> winograd_weights(int square, std::span<const int, 9> kernel);

/// How 2x2's inputs are added: words, or two 16-bit lanes a word (Arm's SADD16).
enum class WinogradLanes { kOne, kTwo };

/// B^T of a column of the patch, then of a row of what that gives. 4x4's is sums and shifts by
/// constants, so it transforms two inputs `low + 65536 * high` at once.
Values winograd2_inputs(IrText& ir, WinogradLanes lanes, const Values& d);
Values winograd4_inputs(IrText& ir, const Values& d);

/// A^T of a column of sums `m(i)`, then of a row of what that gives: 4 or 576 times the outputs.
Values winograd_outputs(int square, IrText& ir, const std::function<Value(int i)>& m);

/// Of 4x4: an output times 64 is one of those times this, modulo 2^32.
inline constexpr uint32_t kWinograd4Inverse = 0x38E38E39;
inline constexpr int kWinograd4Shift = 6;
/// With so many, any sum of 9 * channels products of at most 2^14 is below 2^25; of 2x2, four times
/// the sum below 2^31.
inline constexpr int kWinograd4Channels = 227, kWinograd2Channels = 3640;

}  // namespace tinytune
