// SOFTMAX of int16: TFLite's two tables of 513 points, with linear interpolation.
#include <vector>

#include "base/little_endian.h"
#include "codegen/operators/c_writer.h"
#include "codegen/operators/fixed_point_text.h"
#include "codegen/operators/operator_emitter.h"
#include "models/reference/wide_tables.h"

namespace tinytune::emitter {
namespace {

const SharedFunction kWideLookup = {"wide_lookup",
                                    "/* The function of a table of 513 points at an int16. */",
                                    "int32_t @_wide_lookup(const int16_t *table, int32_t x)",
                                    R"(
  const int32_t at = (x >> 7) + 256;
  const int32_t base = table[at], slope = (int16_t)(table[at + 1] - base);
  return (int16_t)(base + ((slope * (x & 127) + 64) >> 7));
)",
                                    {}};

const SharedFunction kWideSoftmax = {
    "wide_softmax",
    R"(/* Softmax of rows. `scale` and `shift` bring a difference to the units of exp's table; inverse
 * is that of 1 / (1 + x). */)",
    R"(void @_wide_softmax(const int16_t *input, int16_t *output, int32_t rows, int32_t depth,
                           const int16_t *exp, const int16_t *inverse, int32_t scale,
                           int32_t shift))",
    R"(
  for (; rows > 0; --rows) {
    int32_t max = input[0];
    for (int32_t i = 1; i < depth; ++i) {
      if (input[i] > max) max = input[i];
    }
    uint32_t sum = 0;
    for (int32_t i = 0; i < depth; ++i) {
      const int32_t x = @_requantise(input[i] - max, scale, shift) + 32767;
      const int32_t term = @_wide_lookup(exp, x < -32768 ? -32768 : x > 32767 ? 32767 : x);
      output[i] = (int16_t)term;
      sum += (uint32_t)term;
    }
    int32_t right = 30;
    while ((sum & 0x40000000u) == 0u) {
      sum <<= 1;
      --right;
    }
    const int32_t x = (int32_t)((sum + 8192u) >> 14) - 98304;
    const int32_t factor = @_wide_lookup(inverse, x > 32767 ? 32767 : x);
    for (int32_t i = 0; i < depth; ++i) {
      const int32_t value = (output[i] * factor + (1 << (right - 1))) >> right;
      output[i] = (int16_t)(value < 0 ? 0 : value > 32767 ? 32767 : value);
    }
    input += depth;
    output += depth;
  }
)",
    {&kRequantise, &kWideLookup}};

}  // namespace

std::string emit(const WideSoftmaxOp& op, EmitContext& context) {
  const std::string softmax = context.helper(kWideSoftmax);
  const std::string exp =
      context.constant("exp", CType::kInt16, little_endian_bytes(wide_exp_table()));
  const std::string inverse =
      context.constant("inverse", CType::kInt16, little_endian_bytes(wide_inverse_table()));
  CWriter w(1);
  w.line(softmax + "(" + context.input(0) + ", " + context.output() + ", " +
         std::to_string(op.rows) + ", " + std::to_string(op.depth) + ", " + exp + ", " + inverse +
         ", " + c_int(op.multiplier) + ", " + std::to_string(op.shift) + ");");
  return w.text();
}

bool in_place(const WideSoftmaxOp&, int) { return true; }

}  // namespace tinytune::emitter
