// The three transforms of Winograd's F(2x2, 3x3), scaled so that all of it is integer.
//
// Four neighbouring outputs Y (2x2) of a 3x3 kernel g over a 4x4 patch d of inputs are
//   Y = A^T [(G g G^T) .* (B^T d B)] A
// with 16 products instead of 36. G holds halves; with 2G in its place everything is integer and
// the result is 4Y. Bits: |d| <= 128 gives |B^T d B| <= 512, |g| <= 128 gives |(2G) g (2G)^T| <=
// 1152, so both factors fit 16 bits; sums wrap, and 4Y is exact once it fits 32 bits itself.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "templates/tile/ir_text.h"

namespace tinytune {

/// (2G) g (2G)^T of a kernel's nine weights, row by row.
std::vector<int> winograd_weights(std::span<const int, 9> kernel);

/// How the input's transform adds: words, or two 16-bit lanes a word (Arm's SADD16).
enum class WinogradLanes { kOne, kTwo };

/// B^T d B of `tiles` patches side by side, two columns apart. `load` reads the input at (row,
/// column) of the strip, `store` takes each transformed value. Columns are transformed once for
/// the two patches that share them, and values are stored as soon as they are complete: 16 words
/// are live, never more.
void winograd_inputs(IrText& ir, WinogradLanes lanes, int tiles,
                     const std::function<IrText::Value(int row, int column)>& load,
                     const std::function<void(const IrText::Value&, int tile, int point)>& store);

/// A^T M A: the four outputs, row by row, each four times its value.
std::array<IrText::Value, 4> winograd_outputs(IrText& ir,
                                              const std::function<IrText::Value(int point)>& load);

}  // namespace tinytune
