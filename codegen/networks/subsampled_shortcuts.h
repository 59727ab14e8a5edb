// Strided 1x1 convolutions beside other layers read a copy of just the pixels that they need.
//
// A residual network's downsampling shortcut reads every fourth pixel of what its block reads. Run
// last, it keeps all of that tensor alive; run first, its own output, which has more channels. A
// copy of those pixels is smaller than both, and moving a few bytes costs next to nothing beside
// the convolution, which then has stride 1. It pays where memory is short (the bytes copied are
// cycles), so nothing makes copies unasked.
#pragma once

#include "codegen/networks/layout.h"

namespace tinytune {

/// Copies stand before the convolutions that read them; moving them to the front is the order's
/// task (operator_order.h). They are nobody's operators, as layout transforms are.
void subsample_shortcuts(LaidOutGraph& network);

}  // namespace tinytune
