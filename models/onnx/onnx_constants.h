// Folds operators on constants that exporters leave in a model: shapes built from Shape, Gather and
// Concat, weights behind Identity or Transpose, products of scales.
#pragma once

#include <optional>
#include <vector>

#include "models/onnx/onnx_model.h"
#include "tinytune/result.h"

namespace tinytune {

/// Computes the first output of a node from its inputs, null if absent. Returns nullopt for
/// operators that are not folded. kInvalidInput: operands that do not fit.
Result<std::optional<OnnxTensor>> fold_constant(const OnnxNode& node,
                                                const std::vector<const OnnxTensor*>& inputs);

/// Returns the result of `node`, a Shape, for an input of this shape.
OnnxTensor shape_tensor(const OnnxNode& node, const std::vector<int>& shape);

}  // namespace tinytune
