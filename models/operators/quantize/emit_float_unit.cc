#include "models/operators/quantize/emit_float_unit.h"

#include "codegen/operators/c_writer.h"
#include "codegen/operators/elementwise.h"

namespace tinytune {
namespace {

/// Returns C with the unit's instruction, if compiled with the unit; it saturates and gives 0 for
/// NaN.
std::string converted(const std::string& instruction, const std::string& otherwise) {
  return R"(
#if defined(__ARM_FP) && (__ARM_FP & 4) != 0
  union {
    float value;
    int32_t whole;
  } y;
  y.value = x;
  __asm__(")" +
         instruction + R"(" : "+t"(y.value));
  return y.whole;
#else
)" + otherwise +
         "#endif\n";
}

// Twice a float beyond 2^17 in magnitude is outside every type of the result.
const std::string kTwiceBody = converted("vcvt.s32.f32 %0, %0, #1",
                                         R"(  if (x > 131072.0f) return 262144;
  if (x < -131072.0f) return -262144;
  return x == x ? (int32_t)(x + x) : 0;
)");
const SharedFunction kTwice = {
    "twice",
    "/* Twice a float32, rounded towards zero; beyond 2^18 in size anything as large, 0 of NaN. */",
    "int32_t @_twice(float x)",
    kTwiceBody.c_str(),
    {}};

// From 2^23 on float32 has no fraction bits: adding 1.5 times that rounds to an integer.
const std::string kNearestBody = converted("vcvtr.s32.f32 %0, %0",
                                           R"(  volatile float sum;
  if (x > 131072.0f) return 131072;
  if (x < -131072.0f) return -131072;
  if (!(x == x)) return 0;
  sum = x + 12582912.0f;
  return (int32_t)(sum - 12582912.0f);
)");
const SharedFunction kNearest = {
    "nearest",
    "/* The whole number nearest to a float32, halves to even; beyond 2^17 in size anything as\n"
    " * large, 0 of NaN. */",
    "int32_t @_nearest(float x)",
    kNearestBody.c_str(),
    {}};

void clamp(CWriter& w, int64_t low, int64_t high) {
  w.line("if (v < " + c_int(low) + ") v = " + c_int(low) + ";");
  w.line("if (v > " + c_int(high) + ") v = " + c_int(high) + ";");
}

// Returns the least power of two beyond all steps of the type from any zero point: one saturating
// instruction clamps to it, and nothing overflows afterwards.
int64_t beyond_steps(const QuantizeOp& op) { return op.high > 255 ? 131072 : 512; }

}  // namespace

std::string emit_unit_quantize(const QuantizeOp& op, EmitContext& context) {
  const bool even = op.rounding == Rounding::kHalfToEven;
  const std::string rounded = context.helper(even ? kNearest : kTwice);
  const std::string type = op.high > 255 ? "int16_t" : op.low < 0 ? "int8_t" : "uint8_t";
  const int64_t limit = beyond_steps(op) * (even ? 1 : 2);
  CWriter w(1);
  print_elementwise(
      w, op.elements, unary_pointers(context),
      [&](CWriter& e, const auto& a, const auto&, const auto& o) {
        e.line("int32_t v = " + rounded + "(" + a + " / " + c_float(op.scale) + ");");
        clamp(e, -limit, limit - 1);
        if (even)
          e.line("v = " + c_plus("v", op.zero_point) + ";");
        else  // halves away from zero
          e.line("v = (" + c_plus("v + (v >> 31)", 2 * op.zero_point + 1) + ") >> 1;");
        clamp(e, op.low, op.high);
        e.line(o + " = (" + type + ")v;");
      });
  return w.text();
}

std::string emit_unit_dequantize(const DequantizeOp& op, EmitContext& context) {
  const int zero = op.from == ElementType::kInt32 ? 0 : op.zero_point;  // sums have none
  CWriter w(1);
  print_elementwise(w, op.elements, unary_pointers(context),
                    [&](CWriter& e, const auto& a, const auto&, const auto& o) {
                      e.line(o + " = (float)" + (zero == 0 ? a : "(" + c_plus(a, -zero) + ")") +
                             " * " + c_float(op.scale) + ";");
                    });
  return w.text();
}

}  // namespace tinytune
