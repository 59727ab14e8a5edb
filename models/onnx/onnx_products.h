// Products of two computed matrices, and convolutions with computed weights, which become such
// products.
#pragma once

#include "models/onnx/onnx_import.h"

namespace tinytune {

/// A product's result: int8 with a scale, or its sums, int32 without one. `scaling`: RequantShift's
/// operands, for plain integers.
struct OnnxProduct {
  ElementType type = ElementType::kInt8;
  Quantization quantization;
  OperatorKind kind = OperatorKind::kBatchMatMul;
  std::vector<int> scaling{};
};

/// Adds a reduction of the node's axes by an operator of kind `result.kind`.
Result<int> add_reduction(OnnxImport& import, const OnnxNode& node, int id,
                          const OnnxProduct& result);

/// Adds MatMul of two tensors; one of a single axis is a row on the left, a column on the right.
Result<int> add_computed_product(OnnxGraph& graph, const OnnxNode& node, int a, int b,
                                 const OnnxProduct& result);

/// Adds Conv as the weights, [outputs][taps], times the image's windows, [taps][windows] (im2col):
/// copies each byte of the image once for every window that contains it.
Result<int> add_computed_convolution(OnnxGraph& graph, const OnnxNode& node, int image, int weights,
                                     const OnnxProduct& result);

}  // namespace tinytune
