// Splits a layer by output channels, if these are independent and contiguous in memory: layers of
// one pixel.
//
// A part is an ordinary layer with fewer channels and their constants, so templates need no notion
// of parts.
#pragma once

#include "models/integer_op.h"

namespace tinytune {

/// Whether the output's channels are independent of each other and contiguous.
bool has_channel_parts(const Workload& workload);

/// Returns the layer of `count` channels from `begin` on. Keeps the whole layer's WeightFacts,
/// which need not hold for the constants of some channels.
KernelOp computing_channels(const KernelOp& op, int begin, int count);

}  // namespace tinytune
