// ONNX's convolutions and matrix products as operators of a Graph: reorders weights, resolves pads.
#pragma once

#include "models/onnx/onnx_import.h"

namespace tinytune {

/// A layer from bytes to bytes: its operands, and the scale and activation of its result.
struct OnnxLayer {
  const OnnxNode& node;
  int input;
  OnnxConstant weights;
  std::optional<std::vector<int32_t>> bias;  ///< in units of the product of both scales
  OnnxScale output;
  Activation activation = Activation::kNone;
  /// RequantShift's operands (models/operators/plain/operands.h), if those scale the result.
  std::vector<int> scaling{};
};

/// Each returns the int8 tensor of the result. kInvalidInput, kUnsupported: as import_onnx().
Result<int> add_convolution(OnnxGraph& graph, const OnnxLayer& layer);
/// MatMul, or Gemm with its transB.
Result<int> add_product(OnnxGraph& graph, const OnnxLayer& layer, bool transposed);
/// ConvTranspose.
Result<int> add_transposed_convolution(OnnxGraph& graph, OnnxLayer layer);

/// Returns a bias as int32: unchanged if its scale is the product of the input's and the weights';
/// float32 is rounded, as onnxruntime does before it fuses. kUnsupported: another scale.
Result<std::vector<int32_t>> bias_of(const OnnxNode& node, const OnnxConstant& bias,
                                     float input_scale, const std::vector<float>& weight_scales);

}  // namespace tinytune
