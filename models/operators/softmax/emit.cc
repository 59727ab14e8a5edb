// SOFTMAX, TFLite's fixed-point reference.
//
// The exponential of a difference of two int8 values has at most 256 arguments, so it is a table,
// computed here with the reference's own arithmetic: exact by construction, and some forty times
// fewer instructions than evaluating the polynomial on the device. The reciprocal of the sum has no
// such bound and is computed on the device, once a row.
#include <algorithm>

#include "base/little_endian.h"
#include "codegen/operators/c_writer.h"
#include "codegen/operators/fixed_point_text.h"
#include "codegen/operators/operator_emitter.h"
#include "models/reference/fixed_point.h"

namespace tinytune::emitter {
namespace {

// Returns the body, a loop over rows. It differs by the output's type in `shift`, which is 31 bits
// of an exponential plus 12 of its sum less an output's, and in `store`, the stored value.
std::string softmax_body(const std::string& shift, const std::string& store) {
  return R"(
  for (; rows > 0; --rows) {
    int32_t max = input[0];
    for (int32_t i = 1; i < depth; ++i) {
      if (input[i] > max) max = input[i];
    }
    uint32_t sum = 0;
    for (int32_t i = 0; i < depth; ++i) {
      const int32_t d = max - input[i];
      if (d < entries) sum += (uint32_t)((exp[d] >> 12) + ((exp[d] >> 11) & 1));
    }
    int32_t shift = )" +
         shift + R"(;
    while ((sum & 0x80000000u) == 0u) {
      sum <<= 1;
      --shift;
    }
    const int32_t scale = @_reciprocal((int32_t)(sum - 0x80000000u));
    for (int32_t i = 0; i < depth; ++i) {
      const int32_t d = max - input[i];
      int32_t value = 0;
      if (d < entries && shift < 32) {
        const int32_t exact = @_high_mul(scale, exp[d]);
        value = (exact >> shift) + ((exact >> (shift - 1)) & 1);
      }
      output[i] = )" +
         store + R"(;
    }
    input += depth;
    output += depth;
  }
)";
}

const std::string kNarrowBody = softmax_body("35", "(int8_t)(value > 255 ? 127 : value - 128)");
const std::string kWideBody =
    softmax_body("27", "(int16_t)(value > 65535 ? 32767 : value - 32768)");

const SharedFunction kSoftmax = {
    "softmax",
    R"(/* Softmax of rows. exp[d] is e^-d in units of 2^-31, for differences d below `entries`; larger
 * ones count as zero. */)",
    R"(void @_softmax(const int8_t *input, int8_t *output, int32_t rows, int32_t depth,
                      const int32_t *exp, int32_t entries))",
    kNarrowBody.c_str(),
    {&kReciprocal, &kHighMul}};

const SharedFunction kSoftmax16 = {
    "softmax_16",
    "/* The same with results in units of 2^-16 above -32768. */",
    R"(void @_softmax_16(const int8_t *input, int16_t *output, int32_t rows, int32_t depth,
                         const int32_t *exp, int32_t entries))",
    kWideBody.c_str(),
    {&kReciprocal, &kHighMul}};

// Returns exp(-d * scale * beta) in Q0.31 by d, from 0 on while -d is not below `diff_min`.
std::vector<int32_t> exponentials(const SoftmaxOp& op) {
  std::vector<int32_t> table;
  for (int d = 0; d <= 255 && -d >= op.diff_min; ++d) {
    const uint32_t shifted = static_cast<uint32_t>(-d) << op.input_left_shift;
    table.push_back(fixed_point::exp_on_negative_values(
        fixed_point::high_multiply(static_cast<int32_t>(shifted), op.input_multiplier)));
  }
  return table;
}

}  // namespace

std::string emit(const SoftmaxOp& op, EmitContext& context) {
  const std::string softmax = context.helper(op.wide_output ? kSoftmax16 : kSoftmax);
  const std::vector<int32_t> table = exponentials(op);
  const std::string symbol = context.constant("exp", CType::kInt32, little_endian_bytes(table));
  CWriter w(1);
  w.line(softmax + "(" + context.input(0) + ", " + context.output() + ", " +
         std::to_string(op.rows) + ", " + std::to_string(op.depth) + ", " + symbol + ", " +
         std::to_string(table.size()) + ");");
  return w.text();
}

bool in_place(const SoftmaxOp& op, int) { return !op.wide_output; }

}  // namespace tinytune::emitter
