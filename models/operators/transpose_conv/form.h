// The forms of TRANSPOSE_CONV, whose window scatters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "schedules/layer_data.h"

namespace tinytune {

/// TRANSPOSE_CONV: every input element scatters into a window of the output. Weights are
/// [out_c][kernel_h][kernel_w][in_c].
struct TransposeConvOp {
  int batch = 1, in_h = 1, in_w = 1, in_c = 1, out_h = 1, out_w = 1, out_c = 1;
  int kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1, pad_top = 0, pad_left = 0;
  int input_zero_point = 0, output_zero_point = 0;
  int activation_min = -128, activation_max = 127;
  size_t data_input = 0;  ///< index among the computed inputs: 1 behind a computed shape
  LayerData data;
  int64_t macs() const { return int64_t{batch} * in_h * in_w * in_c * kernel_h * kernel_w * out_c; }
};

/// TRANSPOSE_CONV of int16 with int8 weights. Sums have 64 bits and are scaled by 16-bit
/// multipliers.
struct WideTransposeConvOp {
  TransposeConvOp shape;      ///< without zero points and without its bias
  std::vector<int64_t> bias;  ///< by output channel
  int64_t macs() const { return shape.macs(); }
};

}  // namespace tinytune
