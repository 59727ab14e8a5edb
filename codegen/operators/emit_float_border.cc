// QUANTIZE of float32 and DEQUANTIZE to it, without floating point.
//
// Quantising is a staircase of 255 steps, and finite floats of one sign order like their bits. So
// the floats where it steps are found while generating, by the reference itself, and the device
// searches them: no float library on cores without an FPU, and the rounding of its division is the
// host's, which is IEEE's. Dequantising has 256 results, a table.
#include <cstring>

#include "base/little_endian.h"
#include "codegen/operators/elementwise.h"
#include "codegen/operators/operator_emitter.h"
#include "codegen/operators/wide_border.h"
#include "models/byte_steps.h"

namespace tinytune {
namespace {

// The reference's byte for a float, as a value of the output's type.
int quantised(const QuantizeOp& op, float x) {
  QuantizeOp one = op;
  one.elements = 1;
  uint8_t in[4], out[1];
  std::memcpy(in, &x, sizeof in);
  const std::span<const uint8_t> input(in);
  run_reference(IntegerOp(one), {&input, 1}, std::span<uint8_t>(out));
  return op.low < 0 ? static_cast<int8_t>(out[0]) : out[0];
}

// The least key whose float quantises to `value` or more.
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

std::string emit_quantize(const IntegerOp& any, EmitContext& context) {
  const QuantizeOp& op = std::get<QuantizeOp>(any);
  if (op.high > 255) return emit_wide_quantize(op, context);
  const std::string quantise = context.helper(kQuantise);
  std::vector<int32_t> steps;
  for (int value = op.low + 1; value <= op.high; ++value) steps.push_back(threshold(op, value));
  const std::string table = context.constant("steps", CType::kInt32, little_endian_bytes(steps));
  CWriter w(1);
  w.loop("i", op.elements);
  w.line("union {").line("  float value;").line("  uint32_t bits;").line("} x;");
  w.line("x.value = " + context.input(0) + "[i];");
  w.line(context.output() + "[i] = (" + std::string(op.low < 0 ? "int8_t" : "uint8_t") +
         ")((int32_t)" + quantise + "(x.bits, " + table + ", " +
         std::to_string(op.zero_point - op.low) + "u)" + (op.low < 0 ? " - 128" : "") + ");");
  w.close();
  return w.text();
}

std::string emit_dequantize(const IntegerOp& any, EmitContext& context) {
  const DequantizeOp& op = std::get<DequantizeOp>(any);
  if (op.from == ElementType::kInt16) return emit_wide_dequantize(op, context);
  DequantizeOp all = op;
  all.elements = 256;
  std::vector<uint8_t> in(256), out(256 * sizeof(float));
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<uint8_t>(i);
  const std::span<const uint8_t> input(in);
  run_reference(IntegerOp(all), {&input, 1}, std::span<uint8_t>(out));
  const std::string table = context.constant("values", CType::kFloat, std::move(out));
  CWriter w(1);
  print_elementwise(w, op.elements, {context.input(0), "", context.output()},
                    [&](CWriter& e, const auto& a, const auto&, const auto& o) {
                      e.line(o + " = " + table + "[(uint8_t)" + a + "];");
                    });
  return w.text();
}

}  // namespace

extern const OperatorEmitter kQuantizeEmitter;
const OperatorEmitter kQuantizeEmitter = {
    [](const IntegerOp& op) { return std::holds_alternative<QuantizeOp>(op); },
    [](const IntegerOp&, int) { return false; }, emit_quantize};

extern const OperatorEmitter kDequantizeEmitter;
const OperatorEmitter kDequantizeEmitter = {
    [](const IntegerOp& op) { return std::holds_alternative<DequantizeOp>(op); },
    [](const IntegerOp&, int) { return false; }, emit_dequantize};

}  // namespace tinytune
