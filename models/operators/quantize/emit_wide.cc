// QUANTIZE of float32 to int16 and DEQUANTIZE back, without an FPU. A table of 65,535 steps would
// be too large, so integers emulate an FPU: a scale is a mantissa of 24 bits and a power of two;
// quotients and products are rounded to 24 bits where float32 rounds them.
#include "models/operators/quantize/emit_wide.h"

#include <cmath>

#include "base/check.h"
#include "codegen/operators/c_writer.h"

namespace tinytune {
namespace {

// The dividend and the divisor are positive and have 24 bits, the dividend is not the smaller one,
// so the quotient has 24 bits, too. `down` is its power of two, negated.
const SharedFunction kQuantise16 = {
    "quantise_16",
    R"(/* x / (mantissa * 2^exponent) of a float32's bits, rounded to float32 and then to a whole number,
 * halves away from zero; 8388607 in size where it is that large. 0 of NaN. */)",
    "int32_t @_quantise_16(uint32_t bits, uint32_t mantissa, int32_t exponent)",
    R"(
  const uint32_t size = bits & 0x7fffffffu;
  uint32_t rest = size & 0x7fffffu, quotient = 0, result = 8388607u;
  int32_t power = (int32_t)(size >> 23);
  if (size == 0u || size > 0x7f800000u) return 0;
  if (power > 0) rest |= 0x800000u;
  else power = 1;
  for (; rest < mantissa; rest <<= 1) --power;
  if (size < 0x7f800000u && power - exponent < 173) {
    const int32_t down = 173 + exponent - power;
    for (int32_t i = 0; i < 24; ++i) {
      quotient <<= 1;
      if (rest >= mantissa) {
        rest -= mantissa;
        quotient |= 1u;
      }
      rest <<= 1;
    }
    if (rest > mantissa || (rest == mantissa && (quotient & 1u) != 0u)) ++quotient;
    result = down > 25 ? 0u : (quotient + (1u << (down - 1))) >> down;
  }
  return (bits & 0x80000000u) != 0u ? -(int32_t)result : (int32_t)result;
)",
    {}};

// x less a zero point has 17 bits with its sign, the product 40: `high` above 8 bits of `low`.
const SharedFunction kDequantise16 = {
    "dequantise_16",
    "/* The bits of the float32 nearest to x * mantissa * 2^exponent. */",
    "uint32_t @_dequantise_16(int32_t x, uint32_t mantissa, int32_t exponent)",
    R"(
  const uint32_t size = x < 0 ? 0u - (uint32_t)x : (uint32_t)x;
  uint32_t low = size * (mantissa & 255u);
  const uint32_t high = size * (mantissa >> 8) + (low >> 8);
  int32_t down = 0;
  low &= 255u;
  if (size == 0u) return 0u;
  while (high >> down >= 65536u) ++down;
  const uint32_t whole = down > 8 ? high >> (down - 8) : high << (8 - down) | low >> down;
  const uint32_t rest = down > 8 ? (high & ((1u << (down - 8)) - 1u)) << 8 | low
                                 : low & ((1u << down) - 1u);
  const uint32_t half = down == 0 ? 1u : 1u << (down - 1);
  uint32_t bits = whole - 0x800000u;
  if (rest > half || (rest == half && (whole & 1u) != 0u)) ++bits;
  /* A mantissa that is rounded up to 2^24 carries into the exponent, as it should. */
  bits += (uint32_t)(exponent + 150 + down) << 23;
  if (exponent + 150 + down >= 255 || bits > 0x7f800000u) bits = 0x7f800000u;
  return x < 0 ? bits | 0x80000000u : bits;
)",
    {}};

// The mantissa has 24 bits, and the sum is rounded to 24 bits, so their product has 48.
const SharedFunction kDequantise32 = {
    "dequantise_32",
    "/* The bits of float32's product of x, rounded to float32, and mantissa * 2^exponent. */",
    "uint32_t @_dequantise_32(int32_t x, uint32_t mantissa, int32_t exponent)",
    R"(
  uint32_t size = x < 0 ? 0u - (uint32_t)x : (uint32_t)x, down = 0, up = 0;
  if (size == 0u) return 0u;
  while (size >> down >= 0x1000000u) ++down;
  if (down > 0u) {
    const uint32_t rest = size & ((1u << down) - 1u), half = 1u << (down - 1u);
    size >>= down;
    if (rest > half || (rest == half && (size & 1u) != 0u)) ++size;
  }
  const uint64_t product = (uint64_t)size * mantissa;
  while (product >> up >= 0x1000000u) ++up;
  const uint64_t whole = product >> up, twice = (product - (whole << up)) * 2u;
  uint32_t bits = (uint32_t)whole - 0x800000u;
  if (twice >> up != 0u && (twice != (uint64_t)1 << up || (whole & 1u) != 0u)) ++bits;
  /* A mantissa that is rounded up to 2^24 carries into the exponent, as it should. */
  bits += (uint32_t)(exponent + 150 + (int32_t)(down + up)) << 23;
  return x < 0 ? bits | 0x80000000u : bits;
)",
    {}};

// Returns ", mantissa, exponent" of a scale.
std::string scale_arguments(float scale) {
  int power = 0;
  const float fraction = std::frexp(scale, &power);
  return ", " + std::to_string(static_cast<uint32_t>(std::ldexp(fraction, 24))) + "u, " +
         c_int(power - 24);
}

}  // namespace

std::string emit_wide_quantize(const QuantizeOp& op, EmitContext& context) {
  TT_CHECK(op.rounding == Rounding::kTwice && op.zero_point == 0, "TFLite's int16");
  const std::string quantise = context.helper(kQuantise16);
  CWriter w(1);
  w.loop("i", op.elements);
  w.line("union {").line("  float value;").line("  uint32_t bits;").line("} x;");
  w.line("x.value = " + context.input(0) + "[i];");
  w.line("const int32_t v = " + quantise + "(x.bits" + scale_arguments(op.scale) + ");");
  w.line(context.output() + "[i] = (int16_t)(v < -32768 ? -32768 : v > 32767 ? 32767 : v);");
  w.close();
  return w.text();
}

std::string emit_wide_dequantize(const DequantizeOp& op, EmitContext& context) {
  const std::string dequantise =
      context.helper(op.from == ElementType::kInt32 ? kDequantise32 : kDequantise16);
  CWriter w(1);
  w.loop("i", op.elements);
  w.line("union {").line("  float value;").line("  uint32_t bits;").line("} y;");
  w.line("y.bits = " + dequantise + "(" + c_plus(context.input(0) + "[i]", -op.zero_point) +
         scale_arguments(op.scale) + ");");
  w.line(context.output() + "[i] = y.value;");
  w.close();
  return w.text();
}

}  // namespace tinytune
