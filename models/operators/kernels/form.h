// The forms of CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED: of int8, which templates make
// kernels for, of int16 activations, and of weights that are known only when they run.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/graph.h"
#include "schedules/layer_data.h"
#include "schedules/workload.h"

namespace tinytune {

/// A transposition in place: of each block, runs of bytes [pixel][row] become [row][pixel].
struct RunTransposition {
  int blocks = 1, pixels = 1, rows = 1;
  int64_t run_bytes = 1;
  int64_t bytes() const { return int64_t{blocks} * pixels * rows * run_bytes; }
  /// Which run of a block ends up as its i-th.
  int source_of(int i) const { return i % pixels * rows + i / pixels; }
};

/// CONV_2D, DEPTHWISE_CONV_2D, FULLY_CONNECTED: what templates make kernels for.
struct KernelOp {
  Workload workload;
  LayerData data;
  std::optional<RunTransposition> transposes = {};  ///< what the kernel has written
  int64_t macs() const { return workload.macs(); }
};

/// CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED with int8 weights. No template takes it.
struct WideKernelOp {
  Workload shape;  ///< its extents, window and clamp; zero points and facts mean nothing
  std::vector<int8_t> weights;  ///< in the order of LayerData's
  std::vector<int64_t> bias;    ///< this and the next by output channel
  std::vector<int32_t> multiplier, shift;
  /// Sums have 64 bits and are scaled by multipliers of 16 (fixed_point::scale_long); else they
  /// wrap at 32 and are scaled as int8's are.
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
