// The shapes that Reshape, Flatten, Squeeze and Unsqueeze give.
#pragma once

#include <vector>

#include "models/onnx/onnx_model.h"
#include "tinytune/result.h"

namespace tinytune {

/// Of an input of `shape`, with the constant second input or null. As many elements as before.
/// kInvalidInput: that cannot be. kUnsupported: a shape that is no constant, more than 8 axes.
Result<std::vector<int>> reshaped_shape(const OnnxNode& node, const std::vector<int>& shape,
                                        const OnnxTensor* given);

}  // namespace tinytune
