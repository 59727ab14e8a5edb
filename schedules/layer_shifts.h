// The shifts of a fused requantisation (requantise.h) that layers with one scale get where they are
// proved, so that a kernel can have them as constants of its code.
//
// Eight to the left is what accumulators of 24 bits permit. Nine to the right leave room for every
// scale below a quarter; those of anomaly detection get multipliers of 25 to 31 bits, enough to be
// proved.
#pragma once

namespace tinytune {

inline constexpr int kLayerLeft = 8, kLayerRight = 9;

}  // namespace tinytune
