// Convolutions and matrix products of ONNX as operators of a Graph: weights turned, pads resolved.
#pragma once

#include "models/onnx/onnx_import.h"

namespace tinytune {

/// A layer between bytes: where its input is, and what becomes of its result.
struct OnnxLayer {
  const OnnxNode& node;
  int input;
  OnnxConstant weights;
  std::optional<std::vector<int32_t>> bias;  ///< in units of the product of both scales
  OnnxScale output;
  Activation activation = Activation::kNone;
  /// RequantShift's operands (models/operators/plain/operands.h), which then scale it.
  std::vector<int> scaling{};
};

/// Each returns the int8 tensor of the result. kInvalidInput, kUnsupported: as import_onnx().
Result<int> add_convolution(OnnxGraph& graph, const OnnxLayer& layer);
/// MatMul, or Gemm with its transB.
Result<int> add_product(OnnxGraph& graph, const OnnxLayer& layer, bool transposed);
/// ConvTranspose.
Result<int> add_transposed_convolution(OnnxGraph& graph, OnnxLayer layer);

/// A bias as int32: as it is where its scale is the product of both others; float32 is rounded, as
/// onnxruntime does before it fuses. kUnsupported: another scale.
Result<std::vector<int32_t>> bias_of(const OnnxNode& node, const OnnxConstant& bias,
                                     float input_scale, const std::vector<float>& weight_scales);

}  // namespace tinytune
