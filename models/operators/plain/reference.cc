// Plain integers: what Deeploy's oracle computes, in its order.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "models/operators/elementwise/raw_arithmetic.h"
#include "models/operators/plain/division.h"
#include "models/reference/broadcast.h"

namespace tinytune::reference {
namespace {

int32_t element(const PlainOperand& operand, const uint8_t* from, int64_t at) {
  if (operand.type == ElementType::kInt8) return static_cast<int8_t>(from[at]) + operand.offset;
  int32_t value;
  std::memcpy(&value, from + at * static_cast<int64_t>(sizeof value), sizeof value);
  return value;
}

void store(uint8_t* to, int64_t at, int32_t value) {
  std::memcpy(to + at * static_cast<int64_t>(sizeof value), &value, sizeof value);
}

void store(const PlainResult& result, uint8_t* to, int64_t at, int64_t value) {
  const auto clamped =
      static_cast<int32_t>(std::clamp<int64_t>(value, result.low, result.high) + result.offset);
  if (result.type == ElementType::kInt8)
    to[at] = static_cast<uint8_t>(clamped);
  else
    store(to, at, clamped);
}

int32_t wrapped(int64_t value) { return static_cast<int32_t>(static_cast<uint32_t>(value)); }

template <typename Row>
void for_each_row(int rows, int depth, Row row) {
  for (int64_t i = 0; i < rows; ++i) row(i * depth);
}

}  // namespace

void run(const RequantShiftOp& op, const Buffers& buffers) {
  int64_t at = 0;
  for_each_offset(op.broadcast, [&](const std::array<int64_t, 3>& offset) {
    const int64_t x = element(op.input, buffers.inputs[0].data(), offset[0]);
    const int64_t sum = x * op.multiplier[static_cast<size_t>(offset[1])] +
                        op.addend[static_cast<size_t>(offset[2])];
    store(op.output, buffers.outputs[0].data(), at++, sum >> op.shift);
  });
}

void run(const PlainTableOp& op, const Buffers& buffers) {
  for (int64_t i = 0; i < op.elements; ++i)
    store(buffers.outputs[0].data(), i, term(op.table, buffers.input()[i]));
}

void run(const SumTableOp& op, const Buffers& buffers) {
  for_each(op.broadcast, operands_of<int8_t>(op.constants, buffers), buffers.output(),
           [&](int8_t a, int8_t b) {
             return op.table[static_cast<size_t>(term(op.terms[0], a) + term(op.terms[1], b))];
           });
}

void run(const PlainArithmeticOp& op, const Buffers& buffers) {
  const auto operands = operands_of<uint8_t>(op.constants, buffers);
  int64_t at = 0;
  for_each_offset(op.broadcast, [&](const std::array<int64_t, 3>& offset) {
    store(buffers.outputs[0].data(), at++,
          computed(op.function, element(op.inputs[0], operands[0], offset[0]),
                   element(op.inputs[1], operands[1], offset[1])));
  });
}

void run(const PlainDivideOp& op, const Buffers& buffers) {
  const auto operands = operands_of<uint8_t>(op.constants, buffers);
  int64_t at = 0;
  for_each_offset(op.broadcast, [&](const std::array<int64_t, 3>& offset) {
    const int64_t x = element(op.inputs[0], operands[0], offset[0]);
    const int64_t y = element(op.inputs[1], operands[1], offset[1]);
    store(buffers.outputs[0].data(), at++,
          wrapped(plain_quotient(op.numerator * x, op.factor * y + op.summand, op.to_nearest)));
  });
}

void run(const PlainMatMulOp& op, const Buffers& buffers) {
  size_t next = 0;
  const auto operand = [&](const PlainMatMulOp::Side& side) {
    return side.constant.empty() ? buffers.inputs[next++].data() : side.constant.data();
  };
  const uint8_t *left = operand(op.left), *right = operand(op.right);
  const auto start = [](const PlainMatMulOp::Side& side, int a, int b, int c) {
    return a * side.batch_steps[0] + b * side.batch_steps[1] + c * side.batch_steps[2];
  };
  int64_t at = 0;
  for (int a = 0; a < op.batches[0]; ++a)
    for (int b = 0; b < op.batches[1]; ++b)
      for (int c = 0; c < op.batches[2]; ++c)
        for (int row = 0; row < op.rows; ++row)
          for (int column = 0; column < op.columns; ++column) {
            uint32_t sum = 0;
            for (int d = 0; d < op.depth; ++d) {
              const int64_t x =
                  element(op.left.operand, left,
                          start(op.left, a, b, c) + row * op.left.step + d * op.left.depth_step);
              const int64_t y = element(
                  op.right.operand, right,
                  start(op.right, a, b, c) + column * op.right.step + d * op.right.depth_step);
              sum += static_cast<uint32_t>(x) * static_cast<uint32_t>(y);
            }
            store(buffers.outputs[0].data(), at++, static_cast<int32_t>(sum));
          }
}

void run(const PlainSoftmaxOp& op, const Buffers& buffers) {
  for_each_row(op.rows, op.depth, [&](int64_t first) {
    const int8_t* x = buffers.input() + first;
    const int8_t largest = *std::max_element(x, x + op.depth);
    const auto difference = [&](int i) { return static_cast<size_t>(largest - x[i]); };
    uint64_t sum = 0;
    for (int i = 0; i < op.depth; ++i) sum += op.terms[difference(i)];
    for (int i = 0; i < op.depth; ++i) {
      const uint64_t share = op.shifts.empty() ? uint64_t{op.terms[difference(i)]} * op.scale / sum
                                               : op.scale / sum >> op.shifts[difference(i)];
      buffers.output()[first + i] =
          op.results.empty() ? static_cast<int8_t>(static_cast<int64_t>(share) + op.output_offset)
                             : op.results.at(share);
    }
  });
}

void run(const PlainNormOp& op, const Buffers& buffers) {
  for_each_row(op.rows, op.depth, [&](int64_t first) {
    const auto x = [&](int i) { return element(op.input, buffers.inputs[0].data(), first + i); };
    int64_t sum = 0;
    for (int i = 0; i < op.depth; ++i) sum += x(i);
    const int64_t mean = op.is_centred ? sum / op.depth : 0;
    uint64_t squares = 0;
    for (int i = 0; i < op.depth; ++i) {
      const auto d = static_cast<uint64_t>(x(i) - mean);
      squares += d * d;
    }
    const auto root =
        static_cast<int64_t>(plain_root(squares / static_cast<uint64_t>(op.depth) + 1));
    for (int i = 0; i < op.depth; ++i) {
      const auto at = static_cast<size_t>(i);
      const int64_t scaled = (x(i) - mean) * op.weights[at] / root;
      const int64_t value = (scaled + (op.bias.empty() ? 0 : op.bias[at])) >> op.shift;
      buffers.output()[first + i] =
          static_cast<int8_t>(op.wraps ? value : std::clamp<int64_t>(value, -128, 127));
    }
  });
}

void run(const PlainReduceOp& op, const Buffers& buffers) {
  using Function = PlainReduceOp::Function;
  std::vector<int64_t> results(static_cast<size_t>(op.output_elements));
  std::vector<bool> is_begun(results.size(), false);
  Broadcast all;
  all.extents = op.extents;
  for (size_t axis = 0; axis < all.extents.size(); ++axis)
    all.steps[0][axis] = static_cast<int>(op.output_steps[axis]);
  int64_t from = 0;
  for_each_offset(all, [&](const std::array<int64_t, 3>& offset) {
    const int64_t x = element(op.input, buffers.inputs[0].data(), from++);
    const auto at = static_cast<size_t>(offset[0]);
    int64_t& result = results[at];
    if (!is_begun[at])
      result = x;
    else if (op.function == Function::kMaximum)
      result = std::max(result, x);
    else if (op.function == Function::kMinimum)
      result = std::min(result, x);
    else
      result += x;
    is_begun[at] = true;
  });
  for (size_t i = 0; i < results.size(); ++i) {
    int64_t result = results[i];
    if (op.function == Function::kSum) result = wrapped(result);
    if (op.function == Function::kMean)
      result = plain_quotient(2 * result + op.count, 2 * op.count, false);
    store(op.output, buffers.outputs[0].data(), static_cast<int64_t>(i), result);
  }
}

}  // namespace tinytune::reference
