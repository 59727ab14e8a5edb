// The integer form of an operator: TFLite's "prepare" done once, all real numbers gone.
//
// The reference operators execute it and the code generator prints it as C, so the two cannot
// disagree about a multiplier; golden vectors made by TensorFlow Lite Micro check that both are
// right. doc/adr/ lists the source function of every operator's semantics.
//
// int8 throughout unless said; extents in elements, NHWC.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "models/graph.h"
#include "schedules/layer_data.h"
#include "schedules/workload.h"
#include "tinytune/result.h"

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

/// SOFTMAX over the innermost dimension, int8 to int8 (TFLite's fixed-point reference).
struct SoftmaxOp {
  int rows = 1, depth = 1;
  int32_t input_multiplier = 0;
  int input_left_shift = 0;
  int diff_min = 0;
};

/// RESHAPE: the same bytes under another shape.
struct CopyOp {
  int64_t bytes = 0;
  bool in_place = false;  ///< the output is another name for the input's bytes: no code runs
};

/// How the operands of an elementwise operator line up: output extents, outermost first, and each
/// operand's step per axis in elements (0 where it is repeated). Leading axes of extent 1 pad.
struct Broadcast {
  std::array<int, 5> extents{1, 1, 1, 1, 1};
  std::array<std::array<int, 5>, 2> steps{};
  bool equal_shapes = true;  ///< then element i of the output needs element i of both
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

/// MUL: clamp(offset + requantise(a' * b')) with a' and b' less their zero points.
struct MulOp {
  int64_t elements = 0;
  int32_t input1_offset = 0, input2_offset = 0, output_offset = 0;
  int32_t multiplier = 0;
  int shift = 0;
  int activation_min = -128, activation_max = 127;
  Broadcast broadcast;
  std::array<std::vector<int8_t>, 2> constants;
};

/// MAXIMUM, MINIMUM of the raw values: TFLite requires equal scales and trusts it.
struct ExtremumOp {
  int64_t elements = 0;
  bool maximum = true;
  Broadcast broadcast;
  std::array<std::vector<int8_t>, 2> constants;
};

/// Every function of one 8-bit value: RELU, RELU6, LEAKY_RELU, LOGISTIC, TANH, HARD_SWISH and
/// QUANTIZE between int8 and uint8. Byte in, byte out; the index is the raw byte as unsigned.
struct LookupOp {
  int64_t elements = 0;
  std::array<uint8_t, 256> table{};
};

/// QUANTIZE of float32: clamp(round(x / scale) + zero_point), the division in float32, halves away
/// from zero. NaN gives the zero point; what lies outside int32 (undefined in TFLite) is clamped.
struct QuantizeOp {
  int64_t elements = 0;
  float scale = 1;
  int zero_point = 0;
  int low = -128, high = 127;  ///< of the output's type; uint8 when low is 0
};

/// DEQUANTIZE: float32(double(scale) * (x - zero_point)).
struct DequantizeOp {
  int64_t elements = 0;
  float scale = 1;
  int zero_point = 0;
  bool is_unsigned = false;
};

/// A box of elements copied from one place to another: the only thing that PAD, PADV2,
/// CONCATENATION, TRANSPOSE, STRIDED_SLICE, SPLIT, SPLIT_V, PACK and UNPACK do.
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
  int element_bytes = 1;
  bool filled = false;  ///< outputs are first filled with `fill` (PAD, PADV2; one-byte elements)
  int8_t fill = 0;
  std::vector<int64_t> output_elements;  ///< by output
  std::vector<std::vector<uint8_t>> constants;
};

/// RESIZE_NEAREST_NEIGHBOR: output (y, x) is input (rows[y], columns[x]).
struct ResizeOp {
  int batch = 1, in_h = 1, in_w = 1, channels = 1;
  std::vector<int> rows, columns;
};

/// MEAN over any axes: requantise(sum - zero_point * count) with the division in the multiplier.
/// The input is seen as kept axes around reduced ones, outermost first.
struct MeanOp {
  std::array<int, 5> extents{1, 1, 1, 1, 1};  ///< of the input
  std::array<int64_t, 5> output_steps{};      ///< 0 on reduced axes
  int64_t output_elements = 0;
  int32_t bias = 0;  ///< -zero_point * count, added to each sum
  int32_t multiplier = 0;
  int shift = 0, output_zero_point = 0;
};

/// TRANSPOSE_CONV: every input element scatters into a window of the output. Weights are
/// [out_c][kernel_h][kernel_w][in_c].
struct TransposeConvOp {
  int batch = 1, in_h = 1, in_w = 1, in_c = 1, out_h = 1, out_w = 1, out_c = 1;
  int kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1, pad_top = 0, pad_left = 0;
  int input_zero_point = 0, output_zero_point = 0;
  int activation_min = -128, activation_max = 127;
  LayerData data;
  int64_t macs() const { return int64_t{batch} * in_h * in_w * in_c * kernel_h * kernel_w * out_c; }
};

using IntegerOp =
    std::variant<KernelOp, PoolOp, SoftmaxOp, CopyOp, AddOp, MulOp, ExtremumOp, LookupOp,
                 QuantizeOp, DequantizeOp, MoveOp, ResizeOp, MeanOp, TransposeConvOp>;

/// WeightFacts are not proved yet: that costs far more than the rest (prove_facts() of a network).
/// An operator on constants alone is computed here, and becomes the copy of its result.
/// kUnsupported or kInvalidInput name the operator's index and kind and the tensor at fault.
Result<IntegerOp> prepare(const Graph& graph, const Operator& op);

/// Multiply-accumulates of an operator, those on padding included; 0 for those without.
int64_t macs_of(const IntegerOp& op);

/// Executes an operator exactly as TFLite Micro's reference kernel does. `inputs` are the
/// non-constant inputs in the operator's order; sizes are the caller's contract.
void run_reference(const IntegerOp& op, std::span<const std::span<const uint8_t>> inputs,
                   std::span<const std::span<uint8_t>> outputs);

/// The same for the operators with one output.
void run_reference(const IntegerOp& op, std::span<const std::span<const uint8_t>> inputs,
                   std::span<uint8_t> output);

/// Runs the whole graph. `inputs` in the model's order. Returns the bytes of every tensor by id;
/// constant tensors are left empty. kInvalidInput: a wrong number or size of inputs.
Result<std::vector<std::vector<uint8_t>>> run_reference(
    const Graph& graph, std::span<const std::vector<uint8_t>> inputs);

}  // namespace tinytune
