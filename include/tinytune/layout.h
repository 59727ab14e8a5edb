// Memory layout of a network's activations between its layers.
//
// Inputs and outputs are always NHWC: it is the order of the model and of the caller.
#pragma once

namespace tinytune {

/// Layout of activations.
enum class LayoutPolicy {
  kNhwc,  ///< NHWC for every layer
  kNchw,  ///< NCHW for convolutions and layers between them; transforms where others need NHWC
  kAuto,  ///< chosen per layer from measured cycles of kernels and transforms
};

}  // namespace tinytune
