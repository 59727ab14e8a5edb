// L2_NORMALIZATION and LOG_SOFTMAX: one root or logarithm per row, in the reference's own fixed
// point. LOG_SOFTMAX has tables of the functions of a difference of two int8 values.
#include "base/little_endian.h"
#include "codegen/operators/c_writer.h"
#include "codegen/operators/fixed_point_text.h"
#include "codegen/operators/operator_emitter.h"
#include "models/reference/fixed_point.h"

namespace tinytune::emitter {
namespace {

const SharedFunction kNormalise = {
    "l2_normalise",
    "/* Each row by the root of the sum of its squares, in units of 1/128. */",
    R"(void @_l2_normalise(const int8_t *input, int8_t *output, int32_t rows, int32_t depth,
                            int32_t offset))",
    R"(
  for (; rows > 0; --rows) {
    int32_t squares = 0;
    for (int32_t i = 0; i < depth; ++i) squares += (input[i] + offset) * (input[i] + offset);
    int32_t shift;
    const int32_t root = @_inverse_root(squares, &shift);
    for (int32_t i = 0; i < depth; ++i) {
      const int32_t v = @_requantise(input[i] + offset, root, shift + 7);
      output[i] = (int8_t)(v < -128 ? -128 : v > 127 ? 127 : v);
    }
    input += depth;
    output += depth;
  }
)",
    {&kInverseRoot, &kRequantise}};

}  // namespace

std::string emit(const L2NormalizationOp& op, EmitContext& context) {
  const std::string normalise = context.helper(kNormalise);
  CWriter w(1);
  w.line(normalise + "(" + context.input(0) + ", " + context.output() + ", " +
         std::to_string(op.rows) + ", " + std::to_string(op.depth) + ", " + c_int(op.input_offset) +
         ");");
  return w.text();
}

bool in_place(const L2NormalizationOp&, int) { return true; }

namespace {

// log(r 2^k) = k log(2) + log(r), with a rational function for log(r) around 2^-1/4. Of two pairs
// (r, k), takes the one with the smaller r.
const SharedFunction kLogOfSum = {
    "log_of_sum",
    "/* The logarithm, in units of 2^-26, of a sum of at least 1 in units of 2^-19. */",
    "int32_t @_log_of_sum(int32_t x)",
    R"(
  int32_t up_a = 0, up_b = 0;
  while (((uint32_t)x << up_a & 0x40000000u) == 0u) ++up_a;
  const int32_t smaller = @_high_mul(x, 1518500250);
  while (((uint32_t)smaller << up_b & 0x40000000u) == 0u) ++up_b;
  const int32_t r_a = @_shift_up(@_high_mul(@_shift_up(x, up_a), 1518500250), 1);
  const int32_t r_b = @_shift_up(x, up_b);
  const int32_t k_a = (11 - up_a) * 33554432 + 8388608;
  const int32_t k_b = (12 - up_b) * 33554432 - 8388608;
  const int32_t r = r_a < r_b ? r_a : r_b, k = k_a > k_b ? k_a : k_b;
  const int32_t p = (int32_t)(((int64_t)r + 1805811301 + 1) / 2);
  const int32_t q = 2 * (r - 1805811301);
  const int32_t q2 = @_high_mul(q, q);
  const int32_t above = @_high_mul(q, r) + @_high_mul(@_high_mul(q, q2), 117049297);
  const int32_t below =
      @_high_mul(p, 1057819769 + q + @_high_mul(127690142, q2)) + @_high_mul(638450708, q);
  const int32_t fine = (above >> 6) + ((above & 63) > 31 + (above < 0 ? 1 : 0) ? 1 : 0);
  const int32_t rest = @_high_mul(fine, @_reciprocal(below));
  return @_shift_up(@_high_mul(k, 1488522236) + rest, 1);
)",
    {&kHighMul, &kShiftUp, &kReciprocal}};

const SharedFunction kLogSoftmax = {
    "log_softmax",
    R"(/* Logarithms of the softmax of rows. By the distance to a row's largest value, `scaled` has it
 * in units of 2^-26 and `exp` its exponential in units of 2^-19; further away than `least` nothing
 * is left. */)",
    R"(void @_log_softmax(const int8_t *input, int8_t *output, int32_t rows, int32_t depth,
                          const int32_t *scaled, const int32_t *exp, int32_t least,
                          int32_t multiplier, int32_t shift))",
    R"(
  for (; rows > 0; --rows) {
    int32_t max = input[0];
    for (int32_t i = 1; i < depth; ++i) {
      if (input[i] > max) max = input[i];
    }
    int32_t sum = 0;
    for (int32_t i = 0; i < depth; ++i) sum += exp[max - input[i]];
    const int32_t log = @_log_of_sum(sum);
    const int32_t last = @_requantise(log - INT32_MAX - 1, multiplier, shift);
    for (int32_t i = 0; i < depth; ++i) {
      int32_t v = -128;
      if (input[i] - max > (last > least ? last : least)) {
        const int32_t x = scaled[max - input[i]] - log;
        v = (x >> 22) + ((x & 4194303) > 2097151 + (x < 0 ? 1 : 0) ? 1 : 0) + 127;
      }
      output[i] = (int8_t)(v < -128 ? -128 : v > 127 ? 127 : v);
    }
    input += depth;
    output += depth;
  }
)",
    {&kLogOfSum, &kRequantise}};

}  // namespace

std::string emit(const LogSoftmaxOp& op, EmitContext& context) {
  std::vector<int32_t> exponentials;
  for (size_t d = 0; d < op.differences.size(); ++d) {
    const bool counts = -static_cast<int>(d) >= op.diff_min;
    exponentials.push_back(counts ? fixed_point::rounding_shift_right(
                                        fixed_point::exp_on_negative_values(op.differences[d]), 12)
                                  : 0);
  }
  const std::string log_softmax = context.helper(kLogSoftmax);
  const std::string scaled =
      context.constant("scaled", CType::kInt32, little_endian_bytes(op.differences));
  const std::string exp = context.constant("exp", CType::kInt32, little_endian_bytes(exponentials));
  CWriter w(1);
  w.line(log_softmax + "(" + context.input(0) + ", " + context.output() + ", " +
         std::to_string(op.rows) + ", " + std::to_string(op.depth) + ", " + scaled + ", " + exp +
         ", " + c_int(op.diff_min - 1) + ", " + c_int(op.reverse_multiplier) + ", " +
         std::to_string(op.reverse_shift) + ");");
  return w.text();
}

bool in_place(const LogSoftmaxOp&, int) { return true; }

}  // namespace tinytune::emitter
