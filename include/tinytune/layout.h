// In which order a network's activations stand in memory between its layers.
//
// Inputs and outputs are NHWC whatever is chosen: it is the model's order, and the caller's.
#pragma once

namespace tinytune {

/// The order of activations in memory; kAuto chooses it by layer.
enum class LayoutPolicy {
  kNhwc,  ///< every layer
  kNchw,  ///< every convolution and what stands between them; transforms where others need NHWC
  kAuto,  ///< by layer, from measured cycles of kernels and transforms
};

}  // namespace tinytune
