// A Workload: everything about a layer that decides which kernels are legal and how fast they are.
//
// Two layers with equal workloads share one tuning task. A workload does not contain the weights,
// but lane packing and cheap requantisation depend on them, so it has a coarse summary
// (WeightFacts). A finer summary would split equal layers into separate tasks without benefit; a
// coarser one would make a record legal for a layer that it computes wrongly.
//
// Shapes are in elements. All activations and weights are int8, biases int32.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tinytune/result.h"

namespace tinytune {

enum class OpKind { kConv2d, kDepthwiseConv2d, kDense };
enum class Layout { kNhwc, kNchw };

/// "conv2d", "depthwise_conv2d", "dense"; "nhwc", "nchw".
std::string_view name_of(OpKind op);
std::string_view name_of(Layout layout);

/// Rounding of the scaled accumulator to an integer.
enum class Rounding {
  kTwice,        ///< TFLite's fixed point: after the multiplication and after the shift
  kHalfToEven,   ///< ONNX: float32(accumulator) * float32 scale, to nearest, ties to even
  kMultiplyAdd,  ///< RequantShift: accumulator * multiplier + addend, shifted right (LayerData)
};

enum class Requantise {
  kLong,     ///< the reference's two steps in full, for any accumulator
  kShifted,  ///< a left shift, then the short form; both shifts per channel; for scales above 1/2
  kShort,    ///< `(h + (h >> 31) + (1 << (s - 1))) >> s` after the high multiply
  kFused,    ///< one multiply-high with constants found for the layer
  kStepped,  ///< full product; its fraction is compared with a threshold by level: half to even
};

/// "long", "shifted", "short", "fused", "stepped".
std::string_view name_of(Requantise requantise);

/// Facts about a layer's constants on which templates may rely.
struct WeightFacts {
  /// Every group of this many consecutive products, in reduction order, satisfies
  /// 128 * sum|w| <= 32767 for every output channel. A power of two; 1: only single products are
  /// proved (which always holds).
  int lane_group = 1;
  /// The cheapest requantisation proved for every channel (requantise.h).
  Requantise requantise = Requantise::kLong;

  bool operator==(const WeightFacts&) const = default;
};

/// conv2d and depthwise_conv2d use every field. dense is a matrix product of [batch, in_c] and
/// [out_c, in_c]: its spatial fields stay 1.
struct Workload {
  OpKind op = OpKind::kConv2d;
  Layout layout = Layout::kNhwc;
  int batch = 1;
  int in_h = 1, in_w = 1, in_c = 1;
  int out_h = 1, out_w = 1, out_c = 1;
  int kernel_h = 1, kernel_w = 1;
  int stride_h = 1, stride_w = 1;
  int dilation_h = 1, dilation_w = 1;
  int pad_top = 0, pad_left = 0;  ///< bottom and right follow from the output's extent
  int groups = 1;                 ///< conv2d only; in_c and out_c are multiples of it
  int depth_multiplier = 1;       ///< depthwise only; out_c = in_c * depth_multiplier
  int input_zero_point = 0, output_zero_point = 0;
  int activation_min = -128, activation_max = 127;
  Rounding rounding = Rounding::kTwice;
  WeightFacts facts;

  bool operator==(const Workload&) const = default;

  /// Multiply-accumulates, those on padding included (the convention of MLPerf Tiny's tables).
  int64_t macs() const;
  int64_t input_bytes() const { return int64_t{batch} * in_h * in_w * in_c; }
  int64_t output_bytes() const { return int64_t{batch} * out_h * out_w * out_c; }
  int64_t weight_bytes() const;
  /// Number of terms of one output's sum.
  int64_t reduction() const;
};

/// Returns every field on one line, in a fixed order; parse_workload() of it gives an equal
/// workload. Example: "conv2d_s8 nhwc n1 in49x10x1 out25x5x64 k10x4 s2x2 d1x1 p4,1 g1 m1 zp83,-128
/// act-128,127 lane1 fused"; kHalfToEven appends " even", kMultiplyAdd " addend".
std::string to_text(const Workload& workload);

/// Returns the text of the layer's shape alone, without zero points, bounds and facts, which change
/// when a model is retrained. A kernel that is fast for one layer of a shape mostly is for others.
std::string shape_text(const Workload& workload);

/// Parses the text form. kInvalidInput: not such a line, or validate() fails.
Result<Workload> parse_workload(std::string_view text);

/// Checks for positive sizes, no product of them above 2^31 - 1, and channels that fit the
/// operator. kInvalidInput names the field.
Status validate(const Workload& workload);

}  // namespace tinytune
