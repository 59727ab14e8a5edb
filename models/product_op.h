// The integer forms of layers with weights that no template makes kernels for: TRANSPOSE_CONV,
// whose window scatters, and dense layers whose weights are known only when they run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/graph.h"
#include "schedules/layer_data.h"

namespace tinytune {

/// TRANSPOSE_CONV: every input element scatters into a window of the output. Weights are
/// [out_c][kernel_h][kernel_w][in_c].
struct TransposeConvOp {
  int batch = 1, in_h = 1, in_w = 1, in_c = 1, out_h = 1, out_w = 1, out_c = 1;
  int kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1, pad_top = 0, pad_left = 0;
  int input_zero_point = 0, output_zero_point = 0;
  int activation_min = -128, activation_max = 127;
  size_t data_input = 0;  ///< among the inputs that are no constants: behind a computed shape
  LayerData data;
  int64_t macs() const { return int64_t{batch} * in_h * in_w * in_c * kernel_h * kernel_w * out_c; }
};

/// TRANSPOSE_CONV of int16 with int8 weights. Sums have 64 bits and are scaled by multipliers
/// of 16.
struct WideTransposeConvOp {
  TransposeConvOp shape;      ///< without zero points and without its bias
  std::vector<int64_t> bias;  ///< by output channel
};

/// FULLY_CONNECTED of int8 or int16 whose weights or bias are computed, so that nothing can be
/// packed or proved before it runs.
struct ComputedDenseOp {
  int rows = 1, in_c = 1, out_c = 1;
  ElementType type = ElementType::kInt8;        ///< of input and output
  ElementType bias_type = ElementType::kInt32;  ///< or int64
  bool has_bias = false;
  /// Sums have 64 bits and are scaled by multipliers of 16, as WideKernelOp's; else they wrap
  /// at 32.
  bool long_sums = false;
  int32_t input_offset = 0, weights_offset = 0, output_offset = 0;
  std::vector<int32_t> multiplier, shift;  ///< by output channel
  int activation_min = -128, activation_max = 127;
  /// Input, weights [out_c][in_c] and bias, where they are constants; else empty.
  std::array<std::vector<uint8_t>, 3> constants;
  int64_t macs() const { return int64_t{rows} * in_c * out_c; }
};

}  // namespace tinytune
