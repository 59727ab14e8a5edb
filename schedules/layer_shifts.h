// Preferred shifts of a fused requantisation (requantise.h) for layers with one scale, used if they
// are proved exact, so that a kernel can have them as constants of its code.
//
// Accumulators of 24 bits permit a left shift of 8. A right shift of 9 leaves room for every scale
// below 1/4; the scales of anomaly detection get multipliers of 25 to 31 bits, enough for a proof.
#pragma once

namespace tinytune {

inline constexpr int kLayerLeft = 8, kLayerRight = 9;

}  // namespace tinytune
