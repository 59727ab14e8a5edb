// Operators on constants alone, as exporters leave them: shapes put together from Shape, Gather and
// Concat, weights behind Identity or Transpose, scales multiplied.
#pragma once

#include <optional>
#include <vector>

#include "models/onnx/onnx_model.h"
#include "tinytune/result.h"

namespace tinytune {

/// The first output of a node, given its inputs, null where one is absent. Nothing where the
/// operator is not computed here. kInvalidInput: operands that do not fit.
Result<std::optional<OnnxTensor>> fold_constant(const OnnxNode& node,
                                                const std::vector<const OnnxTensor*>& inputs);

/// A shape as Shape gives it.
OnnxTensor shape_tensor(const OnnxNode& node, const std::vector<int>& shape);

}  // namespace tinytune
