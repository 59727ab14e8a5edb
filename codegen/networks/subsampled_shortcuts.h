// Makes strided 1x1 convolutions whose input has other readers read a copy of only the pixels that
// they need.
//
// A residual network's downsampling shortcut reads every fourth pixel of its block's input. If it
// runs last, it keeps all of that tensor alive; if it runs first, its own output, which has more
// channels. A copy of those pixels is smaller than both, and costs next to nothing beside the
// convolution, which then has stride 1. The copy still costs cycles and pays only if memory is
// short, so it is made only on request.
#pragma once

#include "codegen/networks/layout.h"

namespace tinytune {

/// Inserts each copy right before its convolution; order_operators() moves it to the front. Copies
/// have kTransformIndex, like layout transforms.
void subsample_shortcuts(LaidOutGraph& network);

}  // namespace tinytune
