// ONNX's SOFTMAX: a table has the shares from which float arithmetic rounds up.
#include "base/little_endian.h"
#include "codegen/operators/c_writer.h"
#include "codegen/operators/operator_emitter.h"

namespace tinytune::emitter {
namespace {

const SharedFunction kSteppedSoftmax = {
    "stepped_softmax",
    R"(/* Softmax of rows. exp[d] is e^-d of differences; an output is `first` and one more for each of
 * `count` ascending steps that its share of the sum reaches, in units of 2^-32. Every other step has
 * to be passed. */)",
    R"(void @_stepped_softmax(const int8_t *input, int8_t *output, int32_t rows, int32_t depth,
                              const uint32_t *exp, const uint32_t *steps, int32_t count,
                              int32_t first, uint32_t odd))",
    R"(
  for (; rows > 0; --rows) {
    int32_t max = input[0];
    for (int32_t i = 1; i < depth; ++i) {
      if (input[i] > max) max = input[i];
    }
    uint32_t sum = 0;
    for (int32_t i = 0; i < depth; ++i) sum += exp[max - input[i]];
    for (int32_t i = 0; i < depth; ++i) {
      const uint64_t share = (uint64_t)exp[max - input[i]] << 32;
      int32_t low = 0, high = count;
      while (low < high) {
        const int32_t middle = (low + high) >> 1;
        const uint32_t passed = ((uint32_t)middle + odd) & 1u;
        if (share >= (uint64_t)steps[middle] * sum + passed) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      output[i] = (int8_t)(first + low);
    }
    input += depth;
    output += depth;
  }
)",
    {}};

}  // namespace

std::string emit(const SteppedSoftmaxOp& op, EmitContext& context) {
  const auto table = [&](const char* name, const std::vector<uint32_t>& words) {
    return context.constant(name, CType::kUint32,
                            little_endian_bytes(std::vector<int32_t>(words.begin(), words.end())));
  };
  const std::string softmax = context.helper(kSteppedSoftmax);
  CWriter w(1);
  w.line(softmax + "(" + context.input(0) + ", " + context.output() + ", " +
         std::to_string(op.rows) + ", " + std::to_string(op.depth) + ", " + table("exp", op.exp) +
         ", " + table("steps", op.steps) + ", " + std::to_string(op.steps.size()) + ", " +
         c_int(op.first) + ", " + (op.first_is_odd ? "1u" : "0u") + ");");
  return w.text();
}

bool in_place(const SteppedSoftmaxOp&, int) { return true; }

}  // namespace tinytune::emitter
