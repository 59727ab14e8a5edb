// Half-to-even requantisation in integers, exact because nothing is rounded before the last step.
//
// ONNX scales an accumulator in float32. That product is rounded twice: to 24 bits, then to a whole
// number, ties to even; so whatever comes within half a unit of the 24th bit of a tie becomes that
// tie. Such near-ties are too rare to see and too common to ignore: a layer has a few in every
// channel, each on its own side, and no single multiply-high follows them. But the product of an
// accumulator and the scale's mantissa fits two words, exactly, and how wide the band around a tie
// is depends on nothing but the whole part. So with
//   P = accumulator * multiplier,  k = floor(P / 2^(32 + right)),  f = P's fraction less 1/2
// the result is k + (f > steps[k mod 256]), f and steps in units of 2^-31. The table is the same
// for every channel; what f drops below 2^-31 is what remains to be proved.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "schedules/layer_data.h"
#include "schedules/workload.h"

namespace tinytune {

/// By k mod 256: the largest fraction less 1/2, in units of 2^-31, that still goes down to k.
using SteppedLevels = std::array<int16_t, 256>;

/// From this right_shift() on a channel has the form: `right` above is one less than it, and the
/// words of P are joined by shifting the upper one left by 32 less that.
inline constexpr int kLeastSteppedShift = 2;

/// The table, if the form gives the reference's byte for every reachable accumulator of every
/// channel. Scales of 1/4 and more have too few bits behind the point.
std::optional<SteppedLevels> step_requantise(const Workload& workload, const LayerData& data);

}  // namespace tinytune
