// The forms that an operator of a network may have (integer_op.h), a struct each.
//
// int8 throughout unless said; extents in elements, NHWC.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "models/broadcast.h"
#include "models/graph.h"
#include "models/plain_op.h"
#include "models/product_op.h"
#include "models/raw_op.h"
#include "models/recurrent_op.h"
#include "models/wide_op.h"
#include "schedules/layer_data.h"
#include "schedules/workload.h"

namespace tinytune {

/// CONV_2D, DEPTHWISE_CONV_2D, FULLY_CONNECTED: what templates make kernels for.
struct KernelOp {
  Workload workload;
  LayerData data;
};

/// AVERAGE_POOL_2D, MAX_POOL_2D. Taps on padding are left out of sum and count.
struct PoolOp {
  bool average = true;
  int batch = 1, in_h = 1, in_w = 1, channels = 1, out_h = 1, out_w = 1;
  int filter_h = 1, filter_w = 1, stride_h = 1, stride_w = 1, pad_top = 0, pad_left = 0;
  int activation_min = -128, activation_max = 127;
};

struct WidePoolOp {
  PoolOp pool;  ///< of int16
};

/// SOFTMAX over the innermost dimension, of int8 (TFLite's fixed-point reference).
struct SoftmaxOp {
  int rows = 1, depth = 1;
  int32_t input_multiplier = 0;
  int input_left_shift = 0;
  int diff_min = 0;
  bool wide_output = false;  ///< int16 in units of 2^-16 above -32768, else int8 in units of 2^-8
  int output_bits() const { return wide_output ? 16 : 8; }
};

/// RESHAPE: the same bytes under another shape.
struct CopyOp {
  int64_t bytes = 0;
  bool in_place = false;  ///< the output is another name for the input's bytes: no code runs
};

/// ADD and SUB (TFLite's AddParams).
struct AddOp {
  int64_t elements = 0;
  int32_t input1_offset = 0, input2_offset = 0, output_offset = 0;
  int32_t input1_multiplier = 0, input2_multiplier = 0, output_multiplier = 0;
  int input1_shift = 0, input2_shift = 0, output_shift = 0, left_shift = 20;
  int activation_min = -128, activation_max = 127;
  bool subtract = false;
  Broadcast broadcast;
  std::array<std::vector<int8_t>, 2> constants;  ///< of an operand that is a constant, else empty
};

/// A function from integers to int8 that never falls, as the 255 integers from which it reaches
/// each byte but the lowest, ascending: the byte is -128 and one more for each step at or below.
using ByteSteps = std::vector<int32_t>;

/// MUL: clamp(offset + requantise(a' * b')) with a' and b' less their zero points.
struct MulOp {
  int64_t elements = 0;
  int32_t input1_offset = 0, input2_offset = 0, output_offset = 0;
  int32_t multiplier = 0;
  int shift = 0;
  ByteSteps steps;  ///< ONNX's, instead of multiplier, which may come near, and offset; or empty
  int activation_min = -128, activation_max = 127;
  Broadcast broadcast;
  std::array<std::vector<int8_t>, 2> constants;
  std::array<std::vector<uint8_t>, 2> lookups;  ///< what operands go through first, or empty
};

/// MAXIMUM, MINIMUM of the raw values: TFLite requires equal scales and trusts it.
struct ExtremumOp {
  int64_t elements = 0;
  bool maximum = true;
  Broadcast broadcast;
  std::array<std::vector<int8_t>, 2> constants;
};

/// SQUARED_DIFFERENCE: clamp(offset + requantise((terms[0][a] - terms[1][b])^2)).
struct SquaredDifferenceOp {
  int64_t elements = 0;
  std::array<std::vector<int32_t>, 2> terms;  ///< of every int8 value, -128 first
  int32_t multiplier = 0;
  int shift = 0, output_offset = 0;
  Broadcast broadcast;
  std::array<std::vector<int8_t>, 2> constants;
};

/// PRELU of x and alpha less their zero points: requantise(x) where x >= 0, else
/// requantise(x * alpha) by the other multiplier.
struct PreluOp {
  int64_t elements = 0;
  int32_t input_offset = 0, alpha_offset = 0, output_offset = 0;
  int32_t positive_multiplier = 0, negative_multiplier = 0;
  int positive_shift = 0, negative_shift = 0;
  Broadcast broadcast;
  std::array<std::vector<int8_t>, 2> constants;
};

/// DIV: clamp(offset + rescaled(a' / b')). By a b' of zero: fixed_point::reciprocal(0).
struct DivOp {
  int64_t elements = 0;
  int32_t input1_offset = 0, input2_offset = 0, output_offset = 0;
  int32_t multiplier = 0;
  int shift = 0;  ///< at most kMostDivShift, so that the quotient is always shifted right
  int activation_min = -128, activation_max = 127;
  Broadcast broadcast;
  std::array<std::vector<int8_t>, 2> constants;
};
inline constexpr int kMostDivShift = 22;

/// ADD_N: clamp(offset + requantise(base + the sum of terms)).
struct AddNOp {
  int64_t elements = 0;
  std::vector<int32_t> terms;  ///< of every int8 value, -128 first
  int32_t base = 0;
  int32_t multiplier = 0;
  int shift = 0, output_offset = 0;
  std::vector<std::vector<int8_t>> constants;  ///< by operand; empty where it is computed
};

/// EQUAL and its kin, LOGICAL_AND, LOGICAL_OR: a bool of two operands.
enum class Relation { kEqual, kNotEqual, kGreater, kGreaterEqual, kLess, kLessEqual, kAnd, kOr };
struct CompareOp {
  int64_t elements = 0;
  Relation relation = Relation::kEqual;
  ElementType type = ElementType::kInt8;      ///< of the operands: int8, int32 or bool
  std::array<std::vector<int32_t>, 2> terms;  ///< int8: what is compared, by x + 128; else empty
  Broadcast broadcast;
  std::array<std::vector<uint8_t>, 2> constants;
};

/// SELECT_V2: operand 1 where operand 0, a bool, is true, else operand 2. Bytes as they are.
struct SelectOp {
  int64_t elements = 0;
  int element_bytes = 1;
  Broadcast broadcast;
  std::array<std::vector<uint8_t>, 3> constants;
};

/// CAST between integers and from bool: the number itself, wrapped where it does not fit.
struct CastOp {
  int64_t elements = 0;
  ElementType from = ElementType::kInt8, to = ElementType::kInt32;
};

/// Every function of one 8-bit value: RELU, RELU6, LEAKY_RELU, LOGISTIC, TANH, HARD_SWISH, ELU,
/// ABS, RSQRT, LOGICAL_NOT and QUANTIZE between int8 and uint8. Byte in, byte out; the index is the
/// raw byte as unsigned.
struct LookupOp {
  int64_t elements = 0;
  std::array<uint8_t, 256> table{};
};

/// ONNX's ADD and SUB: y = terms[0][a] + terms[1][b] is the sum in units of 2^-shift of the output,
/// zero point included; the result is k = floor(y), or k + 1 where y's fraction reaches steps[k mod
/// 256]. Proved for every pair when it is made, so the float sum's own roundings are in the steps.
struct SteppedAddOp {
  int64_t elements = 0;
  std::array<std::vector<int64_t>, 2> terms;  ///< of every int8 value, -128 first
  std::vector<int64_t> steps;                 ///< 256; 2^shift where nothing goes up
  int shift = 0;
  bool wide = false;  ///< whether y needs 64 bits
  int activation_min = -128, activation_max = 127;
  Broadcast broadcast;
  std::array<std::vector<int8_t>, 2> constants;
};

/// ONNX's AveragePool: terms, float32 numbers, of a window's bytes are added row by row, each sum
/// rounded to float32. The byte is -128 and one more for each step at or below the sum, in the
/// steps for the number of bytes in the window. Floats as bits (fixed_point::float_key() orders
/// them).
struct FloatPoolOp {
  PoolOp pool;                     ///< extents, windows and strides
  std::vector<uint32_t> terms;     ///< of every int8 value, -128 first
  std::map<int, ByteSteps> steps;  ///< keys of floats, by number of bytes
};

/// ONNX's Softmax over the innermost axis: with p = exp[max - x] / (sum of them), `first` and one
/// more for each step that p * 2^32 reaches. Odd steps are ties that go down: p has to be above.
struct SteppedSoftmaxOp {
  int rows = 1, depth = 1;
  std::vector<uint32_t> exp;    ///< by difference, 256; `depth` of the first fit a word
  int first = -128;             ///< the output of p = 0
  std::vector<uint32_t> steps;  ///< ascending, at most 255
  bool first_is_odd = false;    ///< the level that steps[0] leads to, less the zero point
};

/// QUANTIZE of float32: clamp(round(x / scale) + zero_point), the division in float32, halves away
/// from zero or, in ONNX, to even. NaN gives the zero point; what lies outside int32 (undefined in
/// TFLite) is clamped.
struct QuantizeOp {
  int64_t elements = 0;
  float scale = 1;
  int zero_point = 0;
  int low = -128, high = 127;  ///< of the output's type: uint8, int8 or int16
  Rounding rounding = Rounding::kTwice;
};

/// DEQUANTIZE: float32(double(scale) * (x - zero_point)).
struct DequantizeOp {
  int64_t elements = 0;
  float scale = 1;
  int zero_point = 0;
  ElementType from = ElementType::kInt8;  ///< or uint8, int16
};

/// A box of elements copied from one place to another: the only thing that PAD, PADV2, MIRROR_PAD,
/// CONCATENATION, TRANSPOSE, REVERSE_V2, SLICE, STRIDED_SLICE, SPLIT, SPLIT_V, PACK, UNPACK,
/// BROADCAST_TO, FILL, SPACE_TO_DEPTH, SPACE_TO_BATCH_ND and their inverses do.
struct MoveOp {
  struct Box {
    int input = 0;      ///< among the non-constant inputs
    int constant = -1;  ///< index into `constants` instead, if not negative
    int output = 0;
    std::array<int, 5> extents{1, 1, 1, 1, 1};             ///< outermost first
    int64_t input_offset = 0, output_offset = 0;           ///< in elements
    std::array<int64_t, 5> input_steps{}, output_steps{};  ///< in elements; input's may be negative
  };
  std::vector<Box> boxes;  ///< they do not overlap in the outputs
  /// The output is among the inputs, as state that is a window: boxes are copied in their order,
  /// the first moves elements of the output itself down, and each is copied from its lowest address
  /// up.
  bool shifts = false;
  int element_bytes = 1;
  bool filled = false;                   ///< outputs are first filled with `fill` (PAD, PADV2)
  int32_t fill = 0;                      ///< an element, of at most 4 bytes
  std::vector<int64_t> output_elements;  ///< by output
  std::vector<std::vector<uint8_t>> constants;
};

/// RESIZE_NEAREST_NEIGHBOR: output (y, x) is input (rows[y], columns[x]).
struct ResizeOp {
  int batch = 1, in_h = 1, in_w = 1, channels = 1;
  std::vector<int> rows, columns;
};

/// GATHER, GATHER_ND, EMBEDDING_LOOKUP: slices of bytes, from places that may be computed. A place
/// is one int32 for each coordinate; beyond an extent it is the nearest one inside.
struct GatherOp {
  struct Coordinate {
    int32_t extent = 1;
    int64_t step_bytes = 0;
  };
  /// Places are the batch's own; each block of a batch is read at all of them.
  int64_t batches = 1, blocks = 1, places = 1;
  int64_t block_bytes = 0, slice_bytes = 0;
  std::vector<Coordinate> coordinates;
  bool places_first = false;         ///< input 0 has the places and 1 the data (EMBEDDING_LOOKUP)
  std::vector<uint8_t> data;         ///< where the data is a constant
  std::vector<int32_t> constant_at;  ///< where the places are: one after the other
};

/// REDUCE_MAX, REDUCE_MIN of int8, REDUCE_ALL of bool: axes as in MeanOp.
enum class Reduction { kMaximum, kMinimum, kAll };
struct ReduceOp {
  std::array<int, 5> extents{1, 1, 1, 1, 1};  ///< of the input
  std::array<int64_t, 5> output_steps{};      ///< 0 on reduced axes
  int64_t output_elements = 0;
  Reduction reduction = Reduction::kMaximum;
};

/// ARG_MAX, ARG_MIN of int8: the first index of the extreme along the middle axis, as int32.
struct ArgExtremumOp {
  int64_t outer = 1, axis = 1, inner = 1;
  bool maximum = true;
};

/// RESIZE_BILINEAR: each output is four inputs, weighted in units of 2^-10 along each axis. Rounded
/// with halves away from zero; in ONNX down (of uint8, whose bytes are 128 more) or towards zero.
struct BilinearOp {
  enum class Towards { kNearest, kDown, kZero };
  struct Tap {
    int first = 0, second = 0;  ///< rows or columns of the input
    int weight = 0;             ///< of the second; the first has 1024 less that
  };
  int batch = 1, in_h = 1, in_w = 1, channels = 1;
  std::vector<Tap> rows, columns;
  Towards towards = Towards::kNearest;
};

/// L2_NORMALIZATION over the innermost axis, to scale 1/128.
struct L2NormalizationOp {
  int rows = 1, depth = 1;
  int32_t input_offset = 0;
};

/// LOG_SOFTMAX over the innermost axis, to scale 1/16 below zero point 127.
struct LogSoftmaxOp {
  int rows = 1, depth = 1;
  std::vector<int32_t> differences;  ///< Q5.26, of 0, -1, -2, … to -255
  int diff_min = 0;                  ///< the least difference that adds to the sum
  int32_t reverse_multiplier = 0;    ///< from Q5.26 back to differences
  int reverse_shift = 0;
};

/// CUMSUM along the middle axis: requantise(base + the sum of terms so far).
struct CumsumOp {
  int64_t outer = 1, axis = 1, inner = 1;
  bool exclusive = false, reverse = false;
  std::vector<int32_t> terms;  ///< of every int8 value, -128 first
  int32_t base = 0;
  int32_t multiplier = 0;
  int shift = 0, output_offset = 0;
};

/// DYNAMIC_UPDATE_SLICE: operand 0 with a box of it replaced by operand 1. The box's corner is
/// operand 2, brought inside where it is not.
struct UpdateSliceOp {
  std::array<int, 5> extents{1, 1, 1, 1, 1}, box{1, 1, 1, 1, 1};  ///< outermost first
  int rank = 1;  ///< of the operands: the corner's numbers, innermost last
  int element_bytes = 1;
  std::array<std::vector<uint8_t>, 2> constants;  ///< of operands 0 and 1
  std::vector<int32_t> constant_at;               ///< the corner, where it is known
};

/// MEAN and SUM over any axes: requantise(sum - zero_point * count), by a multiplier that for MEAN
/// divides by the count.
/// The input is seen as kept axes around reduced ones, outermost first.
struct MeanOp {
  std::array<int, 5> extents{1, 1, 1, 1, 1};  ///< of the input
  std::array<int64_t, 5> output_steps{};      ///< 0 on reduced axes
  int64_t output_elements = 0;
  int32_t bias = 0;  ///< -zero_point * count, added to each sum
  int32_t multiplier = 0;
  int shift = 0, output_zero_point = 0;
  Rounding rounding = Rounding::kTwice;
  bool wide = false;  ///< of int16
};

/// BATCH_MATMUL: requantised products of matrices. Steps in elements.
struct MatMulOp {
  struct Side {
    std::array<int64_t, 3> batch_steps{};  ///< 0 where it is repeated
    int64_t step = 0;  ///< from one row (right: column) of the result to another
    int64_t depth_step = 0;
    int32_t offset = 0;
    std::vector<int8_t> constant;  ///< if it is one
  };
  std::array<int, 3> batches{1, 1, 1};
  int rows = 1, columns = 1, depth = 1;
  Side left, right;
  int32_t multiplier = 0;
  int shift = 0, output_offset = 0;
  /// ONNX's and RequantShift's instead of the multiplier, which is then about what they follow, or
  /// 0; without both, int32 sums are the result.
  ByteSteps steps;
  int64_t macs() const {
    return int64_t{batches[0]} * batches[1] * batches[2] * rows * columns * depth;
  }
};

/// An operator that a C function of the user's computes: all that it is told of one.
struct ExternalOp {
  struct Operand {
    bool is_absent = false;
    ElementType type = ElementType::kInt8;
    std::vector<int> shape;
    Quantization quantization;
    int64_t bytes = 0;
  };
  std::string function;
  std::vector<Operand> inputs, outputs;  ///< constants included
  std::vector<uint8_t> options;
};

}  // namespace tinytune
