// Half-to-even requantisation in integers, exact because nothing is rounded before the last step.
//
// ONNX scales an accumulator in float32. That product is rounded twice: to 24 bits, then to an
// integer, ties to even. Every product within half a unit of the 24th bit of a tie therefore
// becomes that tie. A layer has a few such near-ties in every channel, some above and some below
// the tie, so no single multiply-high reproduces them. But the product of an accumulator and the
// scale's mantissa fits two words exactly, and the width of the band around a tie depends only on
// the integer part. So with
//   P = accumulator * multiplier,  k = floor(P / 2^(32 + right)),  f = P's fraction less 1/2
// the result is k + (f > steps[k mod 256]), f and steps in units of 2^-31. The table is the same
// for every channel. The bits of f below 2^-31 are dropped; step_requantise() proves this harmless.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "schedules/layer_data.h"
#include "schedules/workload.h"

namespace tinytune {

/// By k mod 256: the largest fraction less 1/2, in units of 2^-31, that still rounds down to k.
using SteppedLevels = std::array<int16_t, 256>;

/// Smallest right_shift() of a channel that has this form. `right` above is right_shift() - 1; the
/// words of P are joined by shifting the upper word left by 32 - right, so `right` must not be 0.
inline constexpr int kLeastSteppedShift = 2;

/// Returns the table if the form gives the reference's byte for every reachable accumulator of
/// every channel. Scales of 1/4 and more have too few fraction bits.
std::optional<SteppedLevels> step_requantise(const Workload& workload, const LayerData& data);

}  // namespace tinytune
