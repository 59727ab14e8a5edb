// Products of matrices both of which are computed, and convolutions with computed weights as such
// products.
#pragma once

#include "models/onnx/onnx_import.h"

namespace tinytune {

/// A product's result: int8 with a scale, or its sums, int32 without one. `scaling`: RequantShift's
/// operands, of plain integers.
struct OnnxProduct {
  ElementType type = ElementType::kInt8;
  Quantization quantization;
  OperatorKind kind = OperatorKind::kBatchMatMul;
  std::vector<int> scaling{};
};

/// A reduction of the axes that the node names, by an operator of kind `result.kind`.
Result<int> add_reduction(OnnxImport& import, const OnnxNode& node, int id,
                          const OnnxProduct& result);

/// MatMul of two tensors; of one axis, a row on the left and a column on the right.
Result<int> add_computed_product(OnnxGraph& graph, const OnnxNode& node, int a, int b,
                                 const OnnxProduct& result);

/// Conv: the weights, [outputs][taps], times the windows of the image, [taps][windows]. Each byte
/// of the image is written once for every window that it is in.
Result<int> add_computed_convolution(OnnxGraph& graph, const OnnxNode& node, int image, int weights,
                                     const OnnxProduct& result);

}  // namespace tinytune
