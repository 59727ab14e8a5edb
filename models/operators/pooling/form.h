// The forms of AVERAGE_POOL_2D and MAX_POOL_2D.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "models/byte_steps.h"

namespace tinytune {

/// AVERAGE_POOL_2D, MAX_POOL_2D. Taps on padding are excluded from sum and count.
struct PoolOp {
  bool average = true;
  int batch = 1, in_h = 1, in_w = 1, channels = 1, out_h = 1, out_w = 1;
  int filter_h = 1, filter_w = 1, stride_h = 1, stride_w = 1, pad_top = 0, pad_left = 0;
  int activation_min = -128, activation_max = 127;
  int64_t operations() const {
    const int64_t taps = int64_t{std::min(filter_h, in_h)} * std::min(filter_w, in_w);
    return taps * batch * out_h * out_w * channels;
  }
};

struct WidePoolOp {
  PoolOp pool;  ///< of int16
  int64_t operations() const { return pool.operations(); }
};

/// ONNX's AveragePool: adds the float32 terms of a window's bytes row by row, and rounds each sum
/// to float32. The byte is -128 plus the number of steps at or below the sum, in the steps for the
/// window's number of bytes. Floats are stored as bits; key_of() orders them.
struct FloatPoolOp {
  PoolOp pool;                     ///< extents, windows and strides
  std::vector<uint32_t> terms;     ///< of every int8 value, -128 first
  std::map<int, ByteSteps> steps;  ///< keys of floats, by number of bytes
  int64_t operations() const { return pool.operations(); }
};

}  // namespace tinytune
