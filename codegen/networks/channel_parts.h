// Parts of a layer's output channels, where each channel is computed apart and follows the one
// before it in memory: layers of one pixel.
//
// A part is a layer with fewer channels and their constants, so templates know of none.
#pragma once

#include "models/integer_op.h"

namespace tinytune {

/// Whether channels of the output need nothing of each other and stand in a row.
bool has_channel_parts(const Workload& workload);

/// The layer of `count` channels from `begin` on. Keeps the whole layer's WeightFacts, which need
/// not hold for the constants of some channels.
KernelOp computing_channels(const KernelOp& op, int begin, int count);

}  // namespace tinytune
