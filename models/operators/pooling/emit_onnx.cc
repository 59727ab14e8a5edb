// ONNX's averages of windows: float32 sums, added with integer instructions.
#include "base/little_endian.h"
#include "codegen/operators/c_writer.h"
#include "codegen/operators/fixed_point_text.h"
#include "codegen/operators/operator_emitter.h"

namespace tinytune::emitter {
namespace {

// Rounds to nearest, ties to even. Exponents of a network's numbers are far from both ends.
const SharedFunction kFloatSum = {
    "float_sum",
    "/* The bits of a + b, both float32 by their bits, rounded as IEEE 754 does. */",
    "uint32_t @_float_sum(uint32_t a, uint32_t b)",
    R"(
  if (a << 1 < b << 1) {
    const uint32_t swapped = a;
    a = b;
    b = swapped;
  }
  if (b << 1 == 0u) return a;
  uint32_t exponent = a >> 23 & 255u;
  const uint32_t right = exponent - (b >> 23 & 255u);
  uint32_t sum = ((a & 0x7fffffu) | 0x800000u) << 7;
  uint32_t other = ((b & 0x7fffffu) | 0x800000u) << 7;
  other = right > 30u ? 1u : other >> right | ((other & ((1u << right) - 1u)) != 0u);
  if ((a ^ b) >> 31 == 0u) {
    sum += other;
    if (sum >> 31 != 0u) {
      sum = sum >> 1 | (sum & 1u);
      ++exponent;
    }
  } else {
    sum -= other;
    if (sum == 0u) return 0u;
    for (; sum >> 30 == 0u; sum <<= 1) --exponent;
  }
  const uint32_t rest = sum & 127u;
  sum >>= 7;
  sum += rest > 64u || (rest == 64u && (sum & 1u) != 0u);
  return (a & 0x80000000u) + ((exponent - 1u) << 23) + sum;
)",
    {}};

}  // namespace

std::string emit(const FloatPoolOp& form, EmitContext& context) {
  const PoolOp& op = form.pool;
  const std::string sum = context.helper(kFloatSum);
  const std::string terms = context.constant(
      "terms", CType::kUint32,
      little_endian_bytes(std::vector<int32_t>(form.terms.begin(), form.terms.end())));
  CWriter w(1);
  if (op.batch > 1) w.loop("n", op.batch);
  w.loop("oy", op.out_h).loop("ox", op.out_w);
  const auto bounds = [&](const std::string& axis, int stride, int pad, int filter, int extent) {
    const std::string first = axis + "0", last = axis + "1";
    w.line("int32_t " + first + " = " + c_plus("o" + axis + " * " + std::to_string(stride), -pad) +
           ";");
    w.line("int32_t " + last + " = " + c_plus(first, filter) + ";");
    w.line("if (" + first + " < 0) " + first + " = 0;");
    w.line("if (" + last + " > " + std::to_string(extent) + ") " + last + " = " +
           std::to_string(extent) + ";");
  };
  bounds("y", op.stride_h, op.pad_top, op.filter_h, op.in_h);
  bounds("x", op.stride_w, op.pad_left, op.filter_w, op.in_w);
  w.loop("c", op.channels);
  w.line("uint32_t bits = 0u;");
  w.open("for (int32_t y = y0; y < y1; ++y)");
  w.open("for (int32_t x = x0; x < x1; ++x)");
  w.line("bits = " + sum + "(bits, " + terms + "[" + context.input(0) + "[(y * " +
         std::to_string(op.in_w) + " + x) * " + std::to_string(op.channels) + " + c] + 128]);");
  w.close().close();
  w.line("const int32_t key = (int32_t)(bits >> 31 != 0u ? bits ^ 0x7fffffffu : bits);");
  if (form.steps.size() > 1) w.line("const int32_t count = (y1 - y0) * (x1 - x0);");
  size_t left = form.steps.size();
  for (const auto& [count, steps] : form.steps) {
    if (--left > 0) w.open("if (count == " + std::to_string(count) + ")");
    w.line("*" + context.output() + " = (int8_t)" + byte_steps_text(context, steps, "key") + ";");
    if (left > 0) w.close().open("else");
  }
  for (left = form.steps.size(); left > 1; --left) w.close();
  w.line("++" + context.output() + ";");
  w.close().close().close();
  if (op.batch > 1)
    w.line(context.input(0) + " += " + std::to_string(int64_t{op.in_h} * op.in_w * op.channels) +
           ";")
        .close();
  return w.text();
}

bool in_place(const FloatPoolOp&, int) { return false; }

}  // namespace tinytune::emitter
