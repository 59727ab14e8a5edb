// Requantisation that begins in the weights.
//
// The fused form (requantise.h) shifts a sum left, multiplies it and adds an offset. Where weights
// are scaled once for many outputs, as a depthwise channel's are, two of these steps can go into
// what is added up anyway:
//   out = clamp(mulh(sum of x * (factor * w) + offset, multiplier) >> right)
// The factor is no power of two: among the thousands that keep the sum within a word is one whose
// product with the multiplier is nearly the scale, so `right` need not leave bits for the
// multiplier and can be a constant of the code. Zero leaves no shift at all; few layers have a
// channel that does not permit it.
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

/// Constants of every channel that agree with the reference on every accumulator it can reach
/// (which `offset` does not contain: bias and zero points are the accumulator's), or nothing where
/// a channel has none. `right` is at least 0.
std::optional<std::vector<ScaledChannel>> scale_weights(const Workload& workload,
                                                        const LayerData& data, int right);

}  // namespace tinytune
