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

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "templates/tile/ir_text.h"

namespace tinytune {

/// Inputs along one side of the patch of a `square` (2 or 4) of outputs.
constexpr int winograd_side(int square) { return square + 2; }

/// Returns the scaled G g G^T of a kernel's nine weights, row by row.
inline std::vector<int> winograd_weights(int square, std::span<const int, 9> kernel) {
  using Rows = std::vector<std::array<int, 3>>;
  static const Rows kOfTwo = {{2, 0, 0}, {1, 1, 1}, {1, -1, 1}, {0, 0, 2}};
  static const Rows kOfFour = {{6, 0, 0}, {-4, -4, -4}, {-4, 4, -4},
                               {1, 2, 4}, {1, -2, 4},   {0, 0, 12}};
  const Rows& g = square == 2 ? kOfTwo : kOfFour;
  std::vector<int> points;
  for (const auto& down : g)
    for (const auto& across : g) {
      points.push_back(0);
      for (size_t tap = 0; tap < 9; ++tap)
        points.back() += down[tap / 3] * kernel[tap] * across[tap % 3];
    }
  return points;
}

/// How 2x2's inputs are added: words, or two 16-bit lanes a word (Arm's SADD16).
enum class WinogradLanes { kOne, kTwo };

/// Applies B^T to a column of the patch, then to a row of the results. That of 4x4 is sums and
/// shifts by constants, so it transforms two inputs `low + 65536 * high` at once.
inline Values winograd2_inputs(IrText& ir, WinogradLanes lanes, const Values& d) {
  const auto add = [&](const Value& a, const Value& b) {
    return lanes == WinogradLanes::kTwo ? ir.call("llvm.arm.sadd16", {a, b}) : ir.add(a, b);
  };
  const auto sub = [&](const Value& a, const Value& b) {
    return lanes == WinogradLanes::kTwo ? ir.call("llvm.arm.ssub16", {a, b}) : ir.sub(a, b);
  };
  return {sub(d[0], d[2]), add(d[1], d[2]), sub(d[2], d[1]), sub(d[1], d[3])};
}

// Return a + b * 2^shift, and a - b * 2^shift: one instruction on Arm.
inline Value plus(IrText& ir, const Value& a, const Value& b, int shift) {
  return ir.add(a, ir.shift_left(b, shift));
}
inline Value minus(IrText& ir, const Value& a, const Value& b, int shift) {
  return ir.sub(a, ir.shift_left(b, shift));
}

/// The rows of B^T: 4 0 -5 0 1 0, 0 -4 -4 1 1 0, 0 4 -4 -1 1 0, 0 -2 -1 2 1 0, 0 2 -1 -2 1 0 and
/// 0 4 0 -5 0 1.
inline Values winograd4_inputs(IrText& ir, const Values& d) {
  const Value even = minus(ir, d[4], d[2], 2), odd = minus(ir, d[3], d[1], 2);
  const Value even_step = ir.sub(d[4], d[2]), odd_step = ir.sub(d[3], d[1]);
  return {plus(ir, even_step, ir.sub(d[0], d[2]), 2),
          ir.add(even, odd),
          ir.sub(even, odd),
          plus(ir, even_step, odd_step, 1),
          minus(ir, even_step, odd_step, 1),
          minus(ir, ir.sub(d[5], d[3]), odd_step, 2)};
}

/// Applies A^T to a column of sums `m(i)`, then to a row of the results: 4 or 576 times the
/// outputs.
inline Values winograd_outputs(int square, IrText& ir, const std::function<Value(int)>& m) {
  const Value m1 = m(1), m2 = m(2), sum = ir.add(m1, m2);
  if (square == 2) {
    const Value first = ir.add(m(0), sum);
    return {first, ir.sub(ir.sub(m1, m2), m(3))};
  }
  const Value difference = ir.sub(m1, m2);
  const Value wide_sum = ir.add(m(3), m(4)), wide_difference = ir.sub(m(3), m(4));
  return {ir.add(m(0), ir.add(sum, wide_sum)), plus(ir, difference, wide_difference, 1),
          plus(ir, sum, wide_sum, 2), plus(ir, plus(ir, difference, wide_difference, 3), m(5), 1)};
}

/// For 4x4, applies G to a column of a kernel, then to a row of the results, without the factors 6,
/// -4, -4, 1, 1 and 12 of its rows, for kernels that transform weights themselves. Bits: 49 * 128
/// is below 2^13.
inline Values winograd4_plain_weights(IrText& ir, const Values& g) {
  const Value sum = ir.add(g[0], g[2]), wide = plus(ir, g[0], g[2], 2);
  return {
      g[0], ir.add(sum, g[1]), ir.sub(sum, g[1]), plus(ir, wide, g[1], 1), minus(ir, wide, g[1], 1),
      g[2]};
}

/// The winograd_outputs() of 4x4 for such weights: applies the factors that these lack.
inline Values winograd4_plain_outputs(IrText& ir, const std::function<Value(int)>& m) {
  const Value m1 = m(1), m2 = m(2), sum = ir.add(m1, m2), difference = ir.sub(m1, m2);
  const Value m3 = m(3), m4 = m(4), wide_sum = ir.add(m3, m4), wide_difference = ir.sub(m3, m4);
  return {minus(ir, ir.add(ir.mul(m(0), 6), wide_sum), sum, 2),
          minus(ir, ir.shift_left(wide_difference, 1), difference, 2),
          ir.shift_left(ir.sub(wide_sum, sum), 2),
          ir.add(minus(ir, ir.shift_left(wide_difference, 3), difference, 2), ir.mul(m(5), 24))};
}

/// For 4x4: 576 times an output, times this, is 64 times the output, modulo 2^32.
inline constexpr uint32_t kWinograd4Inverse = 0x38E38E39;
inline constexpr int kWinograd4Shift = 6;
/// The most input channels for which any sum of 9 * channels products of at most 2^14 is below
/// 2^25; for 2x2, four times the sum below 2^31.
inline constexpr int kWinograd4Channels = 227, kWinograd2Channels = 3640;

}  // namespace tinytune
