// The result shapes of Reshape, Flatten, Squeeze and Unsqueeze, and the ranges that Slice takes.
#pragma once

#include <vector>

#include "models/onnx/onnx_model.h"
#include "tinytune/result.h"

namespace tinytune {

/// Returns the result's shape for an input of `shape`; `given`: the constant second input or null.
/// kInvalidInput: another number of elements. kUnsupported: no constant shape, more than 8 axes.
Result<std::vector<int>> reshaped_shape(const OnnxNode& node, const std::vector<int>& shape,
                                        const OnnxTensor* given);

/// Part of an axis: `count` places from `first` on, `step` apart.
struct OnnxRange {
  size_t axis = 0;
  int64_t first = 0, step = 1, count = 0;
  std::vector<int64_t> places() const;
};

/// Returns the ranges that Slice takes; `inputs`: its inputs, null unless constant. kInvalidInput:
/// an empty result, or no such axis. kUnsupported: bounds that are no constants.
Result<std::vector<OnnxRange>> sliced_ranges(const OnnxNode& node, const std::vector<int>& shape,
                                             const std::vector<const OnnxTensor*>& inputs);

}  // namespace tinytune
