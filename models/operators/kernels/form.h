// The forms of CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED: int8, for which templates make
// kernels, int16 activations, and computed weights.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/graph.h"
#include "schedules/layer_data.h"
#include "schedules/workload.h"

namespace tinytune {

/// A transposition in place: in each block, runs of bytes [pixel][row] become [row][pixel].
struct RunTransposition {
  int blocks = 1, pixels = 1, rows = 1;
  int64_t run_bytes = 1;
  int64_t bytes() const { return int64_t{blocks} * pixels * rows * run_bytes; }
  /// Returns the run of a block that becomes its i-th.
  int source_of(int i) const { return i % pixels * rows + i / pixels; }
};

/// CONV_2D, DEPTHWISE_CONV_2D, FULLY_CONNECTED of int8. Templates make kernels for it.
struct KernelOp {
  Workload workload;
  LayerData data;
  std::optional<RunTransposition> transposes = {};  ///< applied to the kernel's output
  int64_t macs() const { return workload.macs(); }
};

/// CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED of int16 activations with int8 weights. No
/// template takes it.
struct WideKernelOp {
  Workload shape;               ///< extents, window and clamp; zero points and facts are unused
  std::vector<int8_t> weights;  ///< in the order of LayerData
  std::vector<int64_t> bias;    ///< this and the next by output channel
  std::vector<int32_t> multiplier, shift;
  /// Sums have 64 bits and are scaled by 16-bit multipliers (fixed_point::scale_long); else they
  /// wrap at 32 bits and are scaled as in int8 forms.
  bool long_sums = true;
  int64_t macs() const { return shape.macs(); }
};

/// FULLY_CONNECTED of int8 or int16 whose weights or bias are computed, so that nothing can be
/// packed or proved before it runs.
struct ComputedDenseOp {
  int rows = 1, in_c = 1, out_c = 1;
  ElementType type = ElementType::kInt8;        ///< of input and output
  ElementType bias_type = ElementType::kInt32;  ///< or int64
  bool has_bias = false;
  /// Sums have 64 bits and are scaled by 16-bit multipliers, as in WideKernelOp; else they wrap at
  /// 32 bits.
  bool long_sums = false;
  int32_t input_offset = 0, weights_offset = 0, output_offset = 0;
  std::vector<int32_t> multiplier, shift;  ///< by output channel
  int activation_min = -128, activation_max = 127;
  /// Input, weights [out_c][in_c] and bias; empty unless constant.
  std::array<std::vector<uint8_t>, 3> constants;
  int64_t macs() const { return int64_t{rows} * in_c * out_c; }
};

}  // namespace tinytune
