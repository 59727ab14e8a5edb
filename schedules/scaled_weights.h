// Requantisation with part of the scale folded into the weights.
//
// The fused form (requantise.h) shifts a sum left, multiplies it and adds an offset. If weights are
// scaled once for many outputs, as for a depthwise channel, the shift and the offset can be part of
// the sum:
//   out = clamp(mulh(sum of x * (factor * w) + offset, multiplier) >> right)
// The factor is not a power of two: among the thousands that keep the sum within a word, there is
// one whose product with an integer multiplier is very close to the scale. `right` need not leave
// bits for the multiplier and can be a constant of the code. A `right` of 0 saves the shift; few
// layers have a channel that does not permit it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "schedules/layer_data.h"
#include "schedules/workload.h"

namespace tinytune {

/// `offset` is taken modulo 2^32, as the sum is.
struct ScaledChannel {
  int32_t factor = 0, offset = 0, multiplier = 0;
};

/// Finds constants for every channel that agree with the reference on every reachable accumulator;
/// nullopt if a channel has none. `offset` does not include bias and input zero point, which are
/// part of the accumulator. `right` is at least 0.
std::optional<std::vector<ScaledChannel>> scale_weights(const Workload& workload,
                                                        const LayerData& data, int right);

}  // namespace tinytune
