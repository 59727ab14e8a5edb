// SQUARED_DIFFERENCE, PRELU, DIV, ADD_N and CUMSUM. Terms that depend on a single int8 are lookup
// tables.
#include <algorithm>

#include "base/little_endian.h"
#include "codegen/operators/elementwise.h"
#include "codegen/operators/fixed_point_text.h"
#include "codegen/operators/operator_emitter.h"
#include "models/reference/fixed_point.h"

namespace tinytune::emitter {
namespace {

std::string entry(const std::string& table, const std::string& x) {
  return table + "[" + x + " + 128]";
}

}  // namespace

std::string emit(const SquaredDifferenceOp& op, EmitContext& context) {
  const std::string first =
      context.constant("first", CType::kInt32, little_endian_bytes(op.terms[0]));
  const std::string second =
      context.constant("second", CType::kInt32, little_endian_bytes(op.terms[1]));
  CWriter w(1);
  print_elementwise(
      w, op.broadcast, binary_pointers(context),
      [&](CWriter& e, const auto& a, const auto& b, const auto& out) {
        e.line("int32_t v = " + entry(first, a) + " - " + entry(second, b) + ";").line("v *= v;");
        print_requantise(e, op.multiplier, op.shift);
        print_clamped_store(e, {out, -128, 127, op.output_offset});
      });
  return w.text();
}

bool in_place(const SquaredDifferenceOp&, int) { return true; }

std::string emit(const PreluOp& op, EmitContext& context) {
  CWriter w(1);
  print_elementwise(w, op.broadcast, binary_pointers(context),
                    [&](CWriter& e, const auto& a, const auto& b, const auto& out) {
                      e.line("int32_t v = " + c_plus(a, op.input_offset) + ";");
                      e.open("if (v >= 0)");
                      print_requantise(e, op.positive_multiplier, op.positive_shift);
                      e.close().open("else");
                      e.line("v *= " + c_plus(b, op.alpha_offset) + ";");
                      print_requantise(e, op.negative_multiplier, op.negative_shift);
                      e.close();
                      print_clamped_store(e, {out, -128, 127, op.output_offset});
                    });
  return w.text();
}

bool in_place(const PreluOp&, int) { return true; }

namespace {

const SharedFunction kDivide = {
    "divide",
    R"(/* value * inverse * multiplier * 2^(shift - 62), where `inverse` belongs to a divisor of
 * `bits` + 1 bits: value is shifted up as far as it goes first, and back at the end. */)",
    R"(int32_t @_divide(int32_t value, int32_t inverse, int32_t bits, int32_t multiplier,
                        int32_t shift))",
    R"(
  int32_t up = 31;
  for (uint32_t m = (uint32_t)(value < 0 ? ~value : value); m > 0u; m >>= 1) --up;
  const int32_t right = bits + up - shift;
  const int32_t shifted = (int32_t)((uint32_t)value << up);
  const int32_t fine = (int32_t)(((int64_t)shifted * inverse + 1073741824) >> 31);
  const int32_t high = (int32_t)(((int64_t)fine * multiplier + 1073741824) >> 31);
  if (right > 31) return 0;
  const int32_t mask = (int32_t)((UINT32_C(1) << right) - 1u);
  return (high >> right) + ((high & mask) > (mask >> 1) + (high < 0 ? 1 : 0) ? 1 : 0);
)",
    {}};

}  // namespace

std::string emit(const DivOp& op, EmitContext& context) {
  const std::string divide = context.helper(kDivide);
  std::vector<int32_t> inverses;
  std::vector<uint8_t> bits;
  for (int x = -128; x < 128; ++x) {
    const auto inverse = fixed_point::reciprocal(std::abs(x + op.input2_offset));
    inverses.push_back(inverse.multiplier);
    bits.push_back(static_cast<uint8_t>(inverse.bits));
  }
  const std::string inverse =
      context.constant("inverses", CType::kInt32, little_endian_bytes(inverses));
  const std::string bit = context.constant("bits", CType::kInt8, std::move(bits));
  CWriter w(1);
  print_elementwise(
      w, op.broadcast, binary_pointers(context),
      [&](CWriter& e, const auto& a, const auto& b, const auto& out) {
        e.line("int32_t v = " + c_plus(a, op.input1_offset) + ";");
        e.line("const int32_t by = " + c_plus(b, op.input2_offset) + ";");
        e.line("v = " + divide + "(by < 0 ? -v : v, " + entry(inverse, b) + ", " + entry(bit, b) +
               ", " + c_int(op.multiplier) + ", " + std::to_string(op.shift) + ");");
        print_clamped_store(e, {out, op.activation_min, op.activation_max, op.output_offset});
      });
  return w.text();
}

bool in_place(const DivOp&, int) { return true; }

std::string emit(const AddNOp& op, EmitContext& context) {
  const std::string terms = context.constant("terms", CType::kInt32, little_endian_bytes(op.terms));
  const std::string output = context.output();
  CWriter w(1);
  print_unrolled(w, op.elements, [&](const std::string& variable, int64_t added) {
    const std::string at = "[" + c_plus(variable, added) + "]";
    std::string sum = "int32_t v = " + c_int(op.base);
    for (size_t i = 0; i < op.constants.size(); ++i)
      sum += " + " + entry(terms, context.input(i) + at);
    w.open("").line(sum + ";");
    print_requantise(w, op.multiplier, op.shift);
    print_clamped_store(w, {output + at, -128, 127, op.output_offset});
    w.close();
  });
  return w.text();
}

bool in_place(const AddNOp&, int) { return true; }

std::string emit(const CumsumOp& op, EmitContext& context) {
  const std::string terms = context.constant("terms", CType::kInt32, little_endian_bytes(op.terms));
  const std::string add = "sum += (uint32_t)" + entry(terms, context.input(0) + "[at]") + ";";
  const int64_t last = op.reverse ? (op.axis - 1) * op.inner : 0;
  CWriter w(1);
  w.loop("outer", op.outer).loop("inner", op.inner);
  w.line("int32_t at = outer * " + std::to_string(op.axis * op.inner) + " + " +
         c_plus("inner", last) + ";");
  w.line("uint32_t sum = (uint32_t)" + c_int(op.base) + ";");
  w.loop("i", op.axis);
  if (!op.exclusive) w.line(add);
  w.line("int32_t v = (int32_t)sum;");
  if (op.exclusive) w.line(add);
  print_requantise(w, op.multiplier, op.shift);
  print_clamped_store(w, {context.output() + "[at]", -128, 127, op.output_offset});
  w.line("at += " + std::to_string(op.reverse ? -op.inner : op.inner) + ";");
  w.close().close().close();
  return w.text();
}

bool in_place(const CumsumOp&, int) { return true; }

}  // namespace tinytune::emitter
