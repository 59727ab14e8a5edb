#include "templates/winograd/winograd4_transforms.h"

#include "templates/winograd/winograd_products.h"

namespace tinytune {
namespace {

using Value = IrText::Value;

// a + b * 2^shift, and a - b * 2^shift: one instruction on Arm.
Value plus(IrText& ir, const Value& a, const Value& b, int shift) {
  return ir.add(a, shift == 0 ? b : ir.shift_left(b, IrText::number(shift)));
}
Value minus(IrText& ir, const Value& a, const Value& b, int shift) {
  return ir.sub(a, shift == 0 ? b : ir.shift_left(b, IrText::number(shift)));
}

}  // namespace

std::vector<int> winograd4_weights(std::span<const int, 9> kernel) {
  constexpr int g[kWinograd4Side][3] = {{6, 0, 0}, {-4, -4, -4}, {-4, 4, -4},
                                        {1, 2, 4}, {1, -2, 4},   {0, 0, 12}};
  return transform_winograd_weights(g, kernel);
}

// The rows of B^T: 4 0 -5 0 1 0, 0 -4 -4 1 1 0, 0 4 -4 -1 1 0, 0 -2 -1 2 1 0, 0 2 -1 -2 1 0 and
// 0 4 0 -5 0 1.
Six winograd4_inputs(IrText& ir, const Six& d) {
  const Value even = minus(ir, d[4], d[2], 2), odd = minus(ir, d[3], d[1], 2);
  const Value even_step = ir.sub(d[4], d[2]), odd_step = ir.sub(d[3], d[1]);
  return {plus(ir, even_step, ir.sub(d[0], d[2]), 2),
          ir.add(even, odd),
          ir.sub(even, odd),
          plus(ir, even_step, odd_step, 1),
          minus(ir, even_step, odd_step, 1),
          minus(ir, ir.sub(d[5], d[3]), odd_step, 2)};
}

// The rows of A^T: 1 1 1 1 1 0, 0 1 -1 2 -2 0, 0 1 1 4 4 0 and 0 1 -1 8 -8 2.
std::array<Value, 4> winograd4_outputs(IrText& ir, const Six& m) {
  const Value sum = ir.add(m[1], m[2]), difference = ir.sub(m[1], m[2]);
  const Value wide_sum = ir.add(m[3], m[4]), wide_difference = ir.sub(m[3], m[4]);
  return {ir.add(m[0], ir.add(sum, wide_sum)), plus(ir, difference, wide_difference, 1),
          plus(ir, sum, wide_sum, 2), plus(ir, plus(ir, difference, wide_difference, 3), m[5], 1)};
}

}  // namespace tinytune
