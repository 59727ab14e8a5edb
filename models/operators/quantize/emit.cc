// QUANTIZE of float32 and DEQUANTIZE to it, without an FPU (emit_float_unit.h: with one).
//
// Quantisation is a step function of 255 steps, and finite floats of one sign order like their
// bits. So the generator finds the floats of the steps, by the reference itself: cores without an
// FPU need no float library, and the division rounds as on the host, by IEEE 754. On the device an
// integer product with the scale's reciprocal gives the step or the one below, and one comparison
// decides. Both are monotone in the float, so checking the ends of every step proves all floats
// between them; if the proof fails, the device searches the steps. Dequantisation has 256 results,
// a table.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

#include "base/little_endian.h"
#include "codegen/operators/elementwise.h"
#include "codegen/operators/operator_emitter.h"
#include "models/byte_steps.h"
#include "models/operators/quantize/emit_float_unit.h"
#include "models/operators/quantize/emit_wide.h"

namespace tinytune::emitter {
namespace {

// Returns the reference's byte for a float, as a value of the output's type.
int quantised(const QuantizeOp& op, float x) {
  QuantizeOp one = op;
  one.elements = 1;
  uint8_t in[4], out[1];
  std::memcpy(in, &x, sizeof in);
  const std::span<const uint8_t> input(in);
  run_reference(IntegerOp(one), {&input, 1}, std::span<uint8_t>(out));
  return op.low < 0 ? static_cast<int8_t>(out[0]) : out[0];
}

// Returns the least key whose float quantises to `value` or more.
int32_t threshold(const QuantizeOp& op, int value) {
  int64_t low = kLeastFloatKey, high = kMostFloatKey;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (quantised(op, float_of_key(static_cast<int32_t>(middle))) >= value)
      high = middle;
    else
      low = middle + 1;
  }
  return static_cast<int32_t>(low);
}

const SharedFunction kQuantise = {
    "quantise",
    "/* Counts the steps at or below a float, given the keys of the 255 steps in ascending order. "
    "*/",
    "uint32_t @_quantise(uint32_t bits, const int32_t *steps, uint32_t nan)",
    R"(
  if ((bits & 0x7fffffffu) > 0x7f800000u) return nan;
  const int32_t key = (int32_t)((bits & 0x80000000u) != 0u ? bits ^ 0x7fffffffu : bits);
  uint32_t count = 0;
  for (uint32_t half = 128; half > 0u; half >>= 1) {
    if (steps[count + half - 1u] <= key) count += half;
  }
  return count;
)",
    {}};

// A guess of how many steps a float reaches: its mantissa times the reciprocal's, shifted right by
// its exponent's distance from `exponent`. Shifts below 22 leave more than 8 bits, beyond 31 none.
struct Guess {
  uint32_t reciprocal = 0;  ///< 2^31 and more
  int32_t exponent = 0;
  int32_t of_zero = 0;  ///< how many steps 0 reaches
};
constexpr int32_t kLeastShift = 22, kMostShift = 31;

// Returns nullopt for scales close to either end of float32's range.
std::optional<Guess> guess_of(const QuantizeOp& op) {
  constexpr float kLeast = 0x1p-100F, kMost = 0x1p100F;
  if (!(op.scale > kLeast) || !(op.scale < kMost)) return std::nullopt;
  int power = 0;
  const double fraction = std::frexp(1 / double{op.scale}, &power);  // 1/2 to 1
  const double reciprocal = std::floor(std::ldexp(fraction, 32));
  // |x| / scale = (mantissa * 2^8) * (reciprocal / 2^32) * 2^(exponent of x - 158 + power)
  return Guess{static_cast<uint32_t>(reciprocal), 158 - power, op.zero_point - op.low};
}

// Computes what the printed lines do, except for NaN.
int32_t guessed(const Guess& guess, uint32_t bits) {
  const int32_t shift = guess.exponent - static_cast<int32_t>(bits >> 23 & 255u);
  const uint64_t product = uint64_t{bits << 8 | 0x80000000u} * guess.reciprocal >> 32;
  const int32_t size = shift > kMostShift    ? 0
                       : shift < kLeastShift ? 1023
                                             : static_cast<int32_t>(product >> shift);
  const int32_t sign = (bits & 0x80000000u) != 0 ? -1 : 0;
  return std::clamp(guess.of_zero + (size ^ sign), 0, 254);
}

// Returns whether the guess and one comparison give the number of steps for every float but NaN.
bool is_proved(const Guess& guess, const std::vector<int32_t>& steps) {
  const auto counts = [&](int32_t key, int32_t count) {
    const int32_t below = guessed(guess, std::bit_cast<uint32_t>(float_of_key(key)));
    return below + (steps[static_cast<size_t>(below)] <= key ? 1 : 0) == count;
  };
  int32_t count = 0, first = kLeastFloatKey;
  for (const int32_t step : steps) {
    if (step > first && (!counts(first, count) || !counts(step - 1, count))) return false;
    first = step;
    ++count;
  }
  return counts(first, count) && counts(kMostFloatKey, count) &&
         counts(-1, static_cast<int32_t>(std::upper_bound(steps.begin(), steps.end(), -1) -
                                         steps.begin()));
}

// Prints lines that store the byte. NaN's exponent never gives a shift within the limits.
void print_guess(CWriter& w, const QuantizeOp& op, const Guess& guess, const std::string& steps,
                 const std::string& out) {
  const std::string type = op.low < 0 ? "int8_t" : "uint8_t";
  const std::string low = c_int(op.low), most = c_int(op.high - 1);
  w.line("const int32_t sign = -(int32_t)(x.bits >> 31);");
  w.line("const int32_t shift = " + c_int(guess.exponent) + " - (int32_t)(x.bits >> 23 & 255u);");
  w.line("int32_t size = shift < " + c_int(kLeastShift) + " ? 1023 : 0;");
  w.open("if ((uint32_t)(shift - " + c_int(kLeastShift) +
         ") <= " + std::to_string(kMostShift - kLeastShift) + "u)");
  w.line("size = (int32_t)((uint32_t)((uint64_t)(x.bits << 8 | 0x80000000u) * " +
         std::to_string(guess.reciprocal) + "u >> 32) >> shift);");
  w.close().open("else if ((x.bits & 0x7fffffffu) > 0x7f800000u)");
  w.line(out + " = " + c_int(op.zero_point) + ";").line("continue;").close();
  w.line("int32_t v = " + c_plus("(size ^ sign)", op.zero_point) + ";");
  w.line("if (v < " + low + ") v = " + low + ";");
  w.line("if (v > " + most + ") v = " + most + ";");
  w.line("if ((" + steps + " + " + c_int(-op.low) +
         ")[v] <= (int32_t)(x.bits ^ ((uint32_t)sign >> 1))) ++v;");
  w.line(out + " = (" + type + ")v;");
}

}  // namespace

std::string emit(const QuantizeOp& op, EmitContext& context) {
  if (context.core().has_fpu) return emit_unit_quantize(op, context);
  if (op.high > 255) return emit_wide_quantize(op, context);
  std::vector<int32_t> steps;
  for (int value = op.low + 1; value <= op.high; ++value) steps.push_back(threshold(op, value));
  const std::string table = context.constant("steps", CType::kInt32, little_endian_bytes(steps));
  const std::optional<Guess> guess = guess_of(op);
  CWriter w(1);
  w.loop("i", op.elements);
  w.line("union {").line("  float value;").line("  uint32_t bits;").line("} x;");
  w.line("x.value = " + context.input(0) + "[i];");
  const std::string out = context.output() + "[i]";
  if (guess && is_proved(*guess, steps))
    print_guess(w, op, *guess, table, out);
  else
    w.line(out + " = (" + (op.low < 0 ? "int8_t" : "uint8_t") + ")(" +
           c_plus("(int32_t)" + context.helper(kQuantise) + "(x.bits, " + table + ", " +
                      std::to_string(op.zero_point - op.low) + "u)",
                  op.low) +
           ");");
  w.close();
  return w.text();
}

bool in_place(const QuantizeOp&, int) { return false; }

std::string emit(const DequantizeOp& op, EmitContext& context) {
  const bool wide = op.from == ElementType::kInt16 || op.from == ElementType::kInt32;
  if (wide && context.core().has_fpu) return emit_unit_dequantize(op, context);
  if (wide) return emit_wide_dequantize(op, context);
  DequantizeOp all = op;
  all.elements = 256;
  std::vector<uint8_t> in(256), out(256 * sizeof(float));
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<uint8_t>(i);
  const std::span<const uint8_t> input(in);
  run_reference(IntegerOp(all), {&input, 1}, std::span<uint8_t>(out));
  const std::string table = context.constant("values", CType::kFloat, std::move(out));
  CWriter w(1);
  print_elementwise(w, op.elements, unary_pointers(context),
                    [&](CWriter& e, const auto& a, const auto&, const auto& o) {
                      e.line(o + " = " + table + "[(uint8_t)" + a + "];");
                    });
  return w.text();
}

bool in_place(const DequantizeOp&, int) { return false; }

}  // namespace tinytune::emitter
