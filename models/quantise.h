// TFLite's "prepare" arithmetic: from real scales to fixed-point multipliers, done once on the
// host.
//
// The expressions keep TFLite's order of operations and its mixture of float and double: another
// order gives another last bit of a multiplier, and then another output byte.
#pragma once

#include <cstdint>

#include "models/graph.h"

namespace tinytune {

struct QuantizedMultiplier {
  int32_t multiplier = 0;
  int shift = 0;  ///< positive shifts left
};

/// TFLite's QuantizeMultiplier. Below 2^-31 both members are zero. `real` is finite and >= 0.
QuantizedMultiplier quantize_multiplier(double real);

/// From here on the left shift would not fit; no real model has such scales.
inline constexpr double kLargestMultiplier = 1 << 29;
inline constexpr const char* kMultiplierTooLarge = "the ratio of its scales exceeds 2^29";

struct Range {
  int low = 0, high = 0;
};

/// TFLite's CalculateActivationRangeQuantized; `low` may exceed `high` for absurd scales.
Range activation_range(Activation activation, float scale, int zero_point, Range type_range);

/// Limit on strides, dilations and dilated filters, so that their products always fit an int.
inline constexpr int kLargestWindow = 32767;
inline constexpr const char* kWindowTooLarge = "a stride or a dilated filter beyond 32767";
bool window_is_small(int filter, int stride, int dilation);

/// Output extent and leading padding of one axis. An extent below 1 means the filter does not fit.
struct Window {
  int extent = 0, pad = 0;
};
Window window_of(Padding padding, int input, int filter, int stride, int dilation);

/// The sum of this many int8 values less a zero point always fits an int32.
inline constexpr int64_t kMostSummed = 1 << 23;
inline constexpr const char* kTooManySummed = "a sum of more than 2^23 elements";

/// The type's own limits: [-128, 127], [0, 255], [-32768, 32767] or [-8, 7].
Range limits_of(ElementType type);

}  // namespace tinytune
