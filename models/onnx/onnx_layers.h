// Convolutions and matrix products of ONNX as operators of a Graph: weights turned, pads resolved.
#pragma once

#include "models/onnx/onnx_graph.h"
#include "models/onnx/onnx_values.h"

namespace tinytune {

/// The weights or the bias of a layer, still as the model has them.
struct OnnxConstant {
  const OnnxTensor* tensor = nullptr;  ///< null: no bias
  OnnxScale scale;                     ///< of weights
};

/// A layer between bytes: where its input is, and what becomes of its result.
struct OnnxLayer {
  const OnnxNode& node;
  int input;
  OnnxConstant weights;
  const OnnxTensor* bias = nullptr;  ///< int32, in units of the product of both scales
  OnnxScale output;
  Activation activation = Activation::kNone;
};

/// Each returns the int8 tensor of the result. kInvalidInput, kUnsupported: as import_onnx().
Result<int> add_convolution(OnnxGraph& graph, const OnnxLayer& layer);
/// MatMul, or Gemm with its transB.
Result<int> add_product(OnnxGraph& graph, const OnnxLayer& layer, bool transposed);

/// Where windows of a convolution or pool lie; the input is padded where TFLite has no word for it.
struct OnnxWindows {
  int input;  ///< channels last, padded perhaps
  Padding padding = Padding::kValid;
  int kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w, out_h, out_w;
};
/// `may_pad`: whether padding with the zero point is what the operator means.
Result<OnnxWindows> windows_of(OnnxGraph& graph, const OnnxNode& node, int input, int kernel_h,
                               int kernel_w, bool may_pad);

}  // namespace tinytune
