// FULLY_CONNECTED whose weights or bias are computed: plain loops, as in its definition.
#include <algorithm>

#include "base/little_endian.h"
#include "codegen/operators/c_writer.h"
#include "codegen/operators/fixed_point_text.h"
#include "codegen/operators/operator_emitter.h"
#include "models/reference/fixed_point.h"

namespace tinytune::emitter {
namespace {

bool are_equal(const std::vector<int32_t>& values) {
  return std::all_of(values.begin(), values.end(), [&](int32_t v) { return v == values[0]; });
}

// Prints lines that scale `sum` to `v`.
void print_scaled(CWriter& w, const ComputedDenseOp& op, EmitContext& context) {
  std::vector<int32_t> multiplier = op.multiplier, shift = op.shift;
  if (op.long_sums)
    for (size_t c = 0; c < shift.size(); ++c) {
      multiplier[c] = fixed_point::high_half(multiplier[c]);
      shift[c] = 15 - shift[c];
    }
  const bool one_scale = are_equal(multiplier) && are_equal(shift);
  if (one_scale && !op.long_sums) {
    w.line("int32_t v = (int32_t)sum;");
    print_requantise(w, multiplier[0], shift[0]);
    return;
  }
  const auto of_channel = [&](const char* name, const std::vector<int32_t>& values) {
    if (one_scale) return c_int(values[0]);
    return context.constant(name, CType::kInt32, little_endian_bytes(values)) + "[c]";
  };
  w.line("int32_t v = " + context.helper(op.long_sums ? kScaleLong : kRequantise) +
         (op.long_sums ? "(sum, " : "((int32_t)sum, ") + of_channel("multiplier", multiplier) +
         ", " + of_channel("shift", shift) + ");");
}

}  // namespace

std::string emit(const ComputedDenseOp& op, EmitContext& context) {
  const std::string element = c_type_of(op.type), depth = std::to_string(op.in_c);
  const std::string sum = op.long_sums ? "int64_t" : "uint32_t";
  CWriter w(1);
  w.loop("row", op.rows).loop("c", op.out_c);
  w.line("const " + element + " *const x = " + context.input(0) + " + row * " + depth + ";");
  w.line("const int8_t *const y = " + context.input(1) + " + c * " + depth + ";");
  w.line(sum + " sum = " + (op.has_bias ? "(" + sum + ")" + context.input(2) + "[c]" : "0") + ";");
  w.loop("i", op.in_c);
  w.line("sum += (" + sum + ")((" + c_plus("x[i]", op.input_offset) + ") * (" +
         c_plus("y[i]", op.weights_offset) + "));");
  w.close();
  print_scaled(w, op, context);
  print_clamped_store(w, {"*" + context.output() + "++", op.activation_min, op.activation_max,
                          op.output_offset, element.c_str()});
  w.close().close();
  return w.text();
}

bool in_place(const ComputedDenseOp&, int) { return false; }

}  // namespace tinytune::emitter
