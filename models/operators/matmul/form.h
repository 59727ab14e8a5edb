// The form of BATCH_MATMUL.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/byte_steps.h"

namespace tinytune {

/// BATCH_MATMUL: requantised products of matrices. Steps in elements.
struct MatMulOp {
  struct Side {
    std::array<int64_t, 3> batch_steps{};  ///< 0: broadcast
    int64_t step = 0;  ///< from one row (right: column) of the result to another
    int64_t depth_step = 0;
    int32_t offset = 0;
    std::vector<int8_t> constant;  ///< empty unless constant
  };
  std::array<int, 3> batches{1, 1, 1};
  int rows = 1, columns = 1, depth = 1;
  Side left, right;
  int32_t multiplier = 0;
  int shift = 0, output_offset = 0;
  /// ONNX's and RequantShift's scaling in place of the multiplier, which is then an estimate or 0.
  /// Without steps and multiplier, the result is the int32 sums.
  ByteSteps steps;
  int64_t macs() const {
    return int64_t{batches[0]} * batches[1] * batches[2] * rows * columns * depth;
  }
};

}  // namespace tinytune
