// The forms of operators on plain integers: numbers without a scale, as in Deeploy's and QuantLib's
// dialect of ONNX (doc/reference.md).
//
// Sums and products are int32; only RequantShift converts them to bytes. uint8 is stored as int8,
// 128 less, so operands have an offset to add to stored values. Arithmetic on int32 wraps;
// intermediate results that need more bits have 64.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/broadcast.h"
#include "models/graph.h"
#include "models/operators/elementwise/form.h"

namespace tinytune {

/// Elements of an operand: the stored value plus `offset`.
struct PlainOperand {
  ElementType type = ElementType::kInt8;  ///< or int32
  int32_t offset = 0;                     ///< of int8: 128 if the model has uint8
};

/// How a result is stored: the number less 128 if it is uint8.
struct PlainResult {
  ElementType type = ElementType::kInt8;  ///< or int32
  int32_t offset = 0;                     ///< added to the number before the store
  int32_t low = -128, high = 127;         ///< limits of the number, before `offset`
};

/// REQUANT_SHIFT: clamp((x * multiplier + addend) >> shift). Addends include the half that rounds.
/// There are one or several multipliers and addends, the broadcast's operands 1 and 2.
struct RequantShiftOp {
  PlainOperand input;
  PlainResult output;
  std::vector<int32_t> multiplier;
  std::vector<int64_t> addend;
  int shift = 0;
  Broadcast broadcast;
};

/// INTEGER_TABLE: a function of one byte with int32 results.
struct PlainTableOp {
  int64_t elements = 0;
  std::vector<int32_t> table;  ///< of every stored int8, -128 first
};

/// INTEGER_SUM_TABLE: table[first[a] + second[b]], a function of the sum of two functions of a
/// byte.
struct SumTableOp {
  std::array<std::vector<int16_t>, 2> terms;  ///< of every stored int8, -128 first; not negative
  std::vector<int8_t> table;                  ///< of every sum, 0 first
  Broadcast broadcast;
  std::array<std::vector<int8_t>, 2> constants;  ///< of an operand that is a constant, else empty
};

/// INTEGER_ADD, _SUB, _MUL, _MAX and _MIN: an int32 result of two operands.
struct PlainArithmeticOp {
  using Function = RawArithmeticOp::Function;
  Function function = Function::kAdd;
  std::array<PlainOperand, 2> inputs;
  Broadcast broadcast;
  std::array<std::vector<uint8_t>, 2> constants;  ///< of an operand that is a constant, else empty
};

/// INTEGER_DIV: numerator * x / (factor * y + summand), in 64 bits. Rounds towards minus infinity,
/// or to the nearest with halves away from zero; division by 0 gives 0.
struct PlainDivideOp {
  int64_t numerator = 1, factor = 1, summand = 0;
  bool to_nearest = false;
  std::array<PlainOperand, 2> inputs;
  Broadcast broadcast;
  std::array<std::vector<uint8_t>, 2> constants;
};

/// INTEGER_MATMUL with an int32 operand; products of bytes are MatMulOp.
struct PlainMatMulOp {
  struct Side {
    PlainOperand operand;
    std::array<int64_t, 3> batch_steps{};  ///< as in MatMulOp
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
/// terms[d] * scale / (sum of terms), or, if there are shifts, (scale / sum) >> shifts[d].
struct PlainSoftmaxOp {
  int rows = 1, depth = 1;
  std::vector<uint32_t> terms;  ///< by d, 256
  std::vector<uint8_t> shifts;  ///< by d, 256, or empty
  uint32_t scale = 255;
  int32_t output_offset = -128;
  std::vector<int8_t> results;  ///< by share, 256, in place of the offset; or empty
};

/// INTEGER_NORM of rows: (x * weight / root of the mean square + bias) >> shift; if centred, x is
/// less its row's mean. Divisions round towards zero. The sum of squares is modulo 2^64, which rows
/// of int32 may exceed. The result is clamped to int8 or, if it wraps, reduced to its lowest byte.
struct PlainNormOp {
  int rows = 1, depth = 1;
  PlainOperand input;
  bool is_centred = false;
  bool wraps = false;
  std::vector<int32_t> weights;  ///< by element of a row
  std::vector<int32_t> bias;     ///< the same, or empty
  int shift = 0;
};

/// INTEGER_REDUCE over any axes: the sum, an extreme, or the mean, rounded to nearest, halves up.
struct PlainReduceOp {
  enum class Function { kSum, kMean, kMaximum, kMinimum };
  Function function = Function::kSum;
  PlainOperand input;
  PlainResult output;
  std::array<int, 5> extents{1, 1, 1, 1, 1};  ///< of the input
  std::array<int64_t, 5> output_steps{};      ///< 0 on reduced axes
  int64_t output_elements = 0, count = 1;     ///< input elements per output element
};

}  // namespace tinytune
