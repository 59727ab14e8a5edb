// The integer forms of operators on int16 activations, TFLite's 16x8 quantisation (ADR 3).
//
// They are forms of their own, not a type in those of int8: zero points are all 0, sums may need 64
// bits, and what rests on 256 values (tables, the proofs of cheap requantisation, ranges of
// channels) does not carry over. Elements are int16 unless said, extents as in integer_op.h.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/broadcast.h"
#include "models/graph.h"
#include "schedules/workload.h"

namespace tinytune {

/// CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED with int8 weights. No template takes it.
struct WideKernelOp {
  Workload shape;  ///< its extents, window and clamp; zero points and facts mean nothing
  std::vector<int8_t> weights;  ///< in the order of LayerData's
  std::vector<int64_t> bias;    ///< this and the next by output channel
  std::vector<int32_t> multiplier, shift;
  /// Sums have 64 bits and are scaled by multipliers of 16 (fixed_point::scale_long); else they
  /// wrap at 32 and are scaled as int8's are.
  bool long_sums = true;
};

/// ADD and SUB: as AddOp, from values shifted left by 15.
struct WideAddOp {
  static constexpr int kLeftShift = 15;
  int32_t input1_multiplier = 0, input2_multiplier = 0, output_multiplier = 0;
  int input1_shift = 0, input2_shift = 0, output_shift = 0;
  int activation_min = -32768, activation_max = 32767;
  bool subtract = false;
  Broadcast broadcast;
  std::array<std::vector<uint8_t>, 2> constants;  ///< of an operand that is a constant, else empty
};

/// MUL: clamp(requantise(a * b)).
struct WideMulOp {
  int32_t multiplier = 0;
  int shift = 0;
  int activation_min = -32768, activation_max = 32767;
  Broadcast broadcast;
  std::array<std::vector<uint8_t>, 2> constants;
};

/// SOFTMAX over the innermost axis, by two tables of 513 points (models/reference/wide_tables.h).
struct WideSoftmaxOp {
  int rows = 1, depth = 1;
  int32_t multiplier = 0;  ///< from a difference to units of 10 / 65535
  int shift = 0;
};

/// LOGISTIC and TANH: of (x * factor + 2^(shift - 1)) >> shift in units of 1 / 12288, or of
/// x * factor where `shift` is 0. The result has 15 fraction bits.
struct WideGateOp {
  int64_t elements = 0;
  bool is_tanh = false;
  int32_t factor = 0;
  int shift = 0;
};

/// QUANTIZE between integers of which one is wider than a byte; RELU, RELU6 and LEAKY_RELU of
/// int16: clamp(output_zero_point + requantise(x - input_zero_point)), with another multiplier for
/// differences below 0. Differences of int32 wrap.
struct RescaleOp {
  struct Scale {
    int32_t multiplier = 0;
    int shift = 0;
    bool operator==(const Scale&) const = default;
  };
  int64_t elements = 0;
  ElementType from = ElementType::kInt8, to = ElementType::kInt16;  ///< int8, int16 or int32
  int32_t input_zero_point = 0, output_zero_point = 0;
  Scale positive, negative;  ///< equal in QUANTIZE and RELU6
  int32_t low = -32768, high = 32767;
};

}  // namespace tinytune
