#include "templates/winograd/winograd_transforms.h"

#include <array>

namespace tinytune {
namespace {

// a + b * 2^shift, and a - b * 2^shift: one instruction on Arm.
Value plus(IrText& ir, const Value& a, const Value& b, int shift) {
  return ir.add(a, ir.shift_left(b, shift));
}
Value minus(IrText& ir, const Value& a, const Value& b, int shift) {
  return ir.sub(a, ir.shift_left(b, shift));
}

}  // namespace

std::vector<int> winograd_weights(int square, std::span<const int, 9> kernel) {
  using Rows = std::vector<std::array<int, 3>>;
  static const Rows of_two = {{2, 0, 0}, {1, 1, 1}, {1, -1, 1}, {0, 0, 2}};
  static const Rows of_four = {{6, 0, 0}, {-4, -4, -4}, {-4, 4, -4},
                               {1, 2, 4}, {1, -2, 4},   {0, 0, 12}};
  const Rows& g = square == 2 ? of_two : of_four;
  std::vector<int> points;
  for (const auto& down : g)
    for (const auto& across : g) {
      points.push_back(0);
      for (size_t tap = 0; tap < 9; ++tap)
        points.back() += down[tap / 3] * kernel[tap] * across[tap % 3];
    }
  return points;
}

Values winograd2_inputs(IrText& ir, WinogradLanes lanes, const Values& d) {
  const auto add = [&](const Value& a, const Value& b) {
    return lanes == WinogradLanes::kTwo ? ir.call("llvm.arm.sadd16", {a, b}) : ir.add(a, b);
  };
  const auto sub = [&](const Value& a, const Value& b) {
    return lanes == WinogradLanes::kTwo ? ir.call("llvm.arm.ssub16", {a, b}) : ir.sub(a, b);
  };
  return {sub(d[0], d[2]), add(d[1], d[2]), sub(d[2], d[1]), sub(d[1], d[3])};
}

// The rows of B^T: 4 0 -5 0 1 0, 0 -4 -4 1 1 0, 0 4 -4 -1 1 0, 0 -2 -1 2 1 0, 0 2 -1 -2 1 0 and
// 0 4 0 -5 0 1.
Values winograd4_inputs(IrText& ir, const Values& d) {
  const Value even = minus(ir, d[4], d[2], 2), odd = minus(ir, d[3], d[1], 2);
  const Value even_step = ir.sub(d[4], d[2]), odd_step = ir.sub(d[3], d[1]);
  return {plus(ir, even_step, ir.sub(d[0], d[2]), 2),
          ir.add(even, odd),
          ir.sub(even, odd),
          plus(ir, even_step, odd_step, 1),
          minus(ir, even_step, odd_step, 1),
          minus(ir, ir.sub(d[5], d[3]), odd_step, 2)};
}

// The rows of A^T: 1 1 1 0 and 0 1 -1 -1; 1 1 1 1 1 0, 0 1 -1 2 -2 0, 0 1 1 4 4 0 and 0 1 -1 8
// -8 2.
Values winograd_outputs(int square, IrText& ir, const std::function<Value(int)>& m) {
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

}  // namespace tinytune
