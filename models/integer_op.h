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

using IntegerOp = std::variant<KernelOp, PoolOp, SoftmaxOp, CopyOp, AddOp>;

/// kUnsupported or kInvalidInput name the operator's index and kind and the tensor at fault.
Result<IntegerOp> integer_form(const Graph& graph, const Operator& op);

/// The same without proving WeightFacts, which costs far more than the rest.
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
