// The constants of one layer, as in the model (not yet packed for any schedule).
#pragma once

#include <cstdint>
#include <vector>

namespace tinytune {

/// Requantisation follows TFLite: out = clamp(zero_point + MultiplyByQuantizedMultiplier(acc,
/// multiplier, shift)), double rounding. One entry per output channel, also for per-tensor models.
struct LayerData {
  /// conv2d: [out_c][kernel_h][kernel_w][in_c / groups]; depthwise: [kernel_h][kernel_w][out_c];
  /// dense: [out_c][in_c].
  std::vector<int8_t> weights;
  std::vector<int32_t> bias;        ///< zeros when the model has none
  std::vector<int32_t> multiplier;  ///< 0, or in [2^30, 2^31)
  std::vector<int32_t> shift;       ///< positive shifts left, negative right (TFLite's sign)
  /// Only for Rounding::kMultiplyAdd, else empty: out = clamp(zero_point + floor((acc * multiplier
  /// + addend) * 2^(shift - 31))); the half for rounding to nearest is part of the addend.
  std::vector<int64_t> addend;

  bool operator==(const LayerData&) const = default;
};

}  // namespace tinytune
