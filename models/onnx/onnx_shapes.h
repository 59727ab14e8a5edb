// The shapes that Reshape, Flatten, Squeeze and Unsqueeze give, and what Slice leaves of an axis.
#pragma once

#include <vector>

#include "models/onnx/onnx_model.h"
#include "tinytune/result.h"

namespace tinytune {

/// Of an input of `shape`, with the constant second input or null. As many elements as before.
/// kInvalidInput: that cannot be. kUnsupported: a shape that is no constant, more than 8 axes.
Result<std::vector<int>> reshaped_shape(const OnnxNode& node, const std::vector<int>& shape,
                                        const OnnxTensor* given);

/// Part of an axis: `count` places from `first` on, `step` apart.
struct OnnxRange {
  size_t axis = 0;
  int64_t first = 0, step = 1, count = 0;
  std::vector<int64_t> places() const;
};

/// What Slice takes; `inputs` are its inputs where they are constants, else null. kInvalidInput:
/// nothing is left, or an axis is not there. kUnsupported: bounds that are no constants.
Result<std::vector<OnnxRange>> sliced_ranges(const OnnxNode& node, const std::vector<int>& shape,
                                             const std::vector<const OnnxTensor*>& inputs);

}  // namespace tinytune
