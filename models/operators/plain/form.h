// The integer forms of plain integers: numbers without a scale, as Deeploy's and QuantLib's dialect
// of ONNX has them (doc/reference.md).
//
// What is added, multiplied and summed there is int32, and RequantShift alone makes bytes of it.
// uint8 is kept as int8, 128 less, so an operand says what to add to what is stored. Arithmetic on
// int32 wraps; what needs more bits on its way has 64.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/broadcast.h"
#include "models/graph.h"
#include "models/operators/elementwise/form.h"

namespace tinytune {

/// Elements of an operand: what is stored plus `offset`.
struct PlainOperand {
  ElementType type = ElementType::kInt8;  ///< or int32
  int32_t offset = 0;                     ///< of int8: 128 where the model has uint8
};

/// What a result is stored as: the number less 128 if it is uint8.
struct PlainResult {
  ElementType type = ElementType::kInt8;  ///< or int32
  int32_t offset = 0;                     ///< added before it is stored
  int32_t low = -128, high = 127;         ///< it is clamped to these first
};

/// REQUANT_SHIFT: clamp((x * multiplier + addend) >> shift). Multipliers and addends, which have
/// the half that rounds, are one or several, by the broadcast's operands 1 and 2.
struct RequantShiftOp {
  PlainOperand input;
  PlainResult output;
  std::vector<int32_t> multiplier;
  std::vector<int64_t> addend;
  int shift = 0;
  Broadcast broadcast;
};

/// INTEGER_TABLE: a function of one byte that has more than a byte.
struct PlainTableOp {
  int64_t elements = 0;
  std::vector<int32_t> table;  ///< of every stored int8, -128 first
};

/// INTEGER_SUM_TABLE: table[first[a] + second[b]], a function of the sum of two functions of a
/// byte.
struct SumTableOp {
  std::array<std::vector<int16_t>, 2> terms;  ///< of every stored int8, -128 first; 0 and more
  std::vector<int8_t> table;                  ///< of every sum, 0 first
  Broadcast broadcast;
  std::array<std::vector<int8_t>, 2> constants;  ///< of an operand that is a constant, else empty
};

/// INTEGER_ADD and its kin: int32 of two operands.
struct PlainArithmeticOp {
  using Function = RawArithmeticOp::Function;
  Function function = Function::kAdd;
  std::array<PlainOperand, 2> inputs;
  Broadcast broadcast;
  std::array<std::vector<uint8_t>, 2> constants;  ///< of an operand that is a constant, else empty
};

/// INTEGER_DIV: numerator * x by d = factor * y + summand, in 64 bits. Towards minus infinity, or
/// to the nearest with halves away from zero. By 0: 0.
struct PlainDivideOp {
  int64_t numerator = 1, factor = 1, summand = 0;
  bool to_nearest = false;
  std::array<PlainOperand, 2> inputs;
  Broadcast broadcast;
  std::array<std::vector<uint8_t>, 2> constants;
};

/// INTEGER_MATMUL of operands of which one is int32; MatMulOp has those of bytes.
struct PlainMatMulOp {
  struct Side {
    PlainOperand operand;
    std::array<int64_t, 3> batch_steps{};  ///< as MatMulOp's
    int64_t step = 0, depth_step = 0;
    std::vector<uint8_t> constant;
  };
  std::array<int, 3> batches{1, 1, 1};
  int rows = 1, columns = 1, depth = 1;
  Side left, right;
  int64_t macs() const {
    return int64_t{batches[0]} * batches[1] * batches[2] * rows * columns * depth;
  }
};

/// INTEGER_SOFTMAX of rows of bytes, by the difference d of an element from its row's largest:
/// terms[d] * scale / (sum of terms), or, where there are shifts, (scale / sum) >> shifts[d].
struct PlainSoftmaxOp {
  int rows = 1, depth = 1;
  std::vector<uint32_t> terms;  ///< 256
  std::vector<uint8_t> shifts;  ///< 256, or none
  uint32_t scale = 255;
  int32_t output_offset = -128;
  std::vector<int8_t> results;  ///< 256, of such shares, instead of the offset; or none
};

/// INTEGER_NORM of rows: x or, if centred, x less their mean, times a weight, by the root of the
/// mean square, plus a bias; then >> shift. Divisions are towards zero. The sum of squares is
/// modulo 2^64, which rows of int32 may exceed. The result is clamped to int8, or keeps its lowest
/// byte.
struct PlainNormOp {
  int rows = 1, depth = 1;
  PlainOperand input;
  bool is_centred = false;
  bool wraps = false;
  std::vector<int32_t> weights;  ///< of each element of a row
  std::vector<int32_t> bias;     ///< the same, or none
  int shift = 0;
};

/// INTEGER_REDUCE over any axes: the sum, the mean rounded to nearest with halves up, an extreme.
struct PlainReduceOp {
  enum class Function { kSum, kMean, kMaximum, kMinimum };
  Function function = Function::kSum;
  PlainOperand input;
  PlainResult output;
  std::array<int, 5> extents{1, 1, 1, 1, 1};  ///< of the input
  std::array<int64_t, 5> output_steps{};      ///< 0 on reduced axes
  int64_t output_elements = 0, count = 1;     ///< elements of the input for each of the output
};

}  // namespace tinytune
