// The options of CONV_2D and DEPTHWISE_CONV_2D.
#pragma once

#include "models/attribute_types.h"

namespace tinytune {

struct ConvAttributes {
  Padding padding = Padding::kSame;
  Activation activation = Activation::kNone;
  int stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1;
  int depth_multiplier = 0;  ///< depthwise, as the file has it; 0: not given
  bool int32_sums = false;  ///< of int16 activations without a bias: the file's quantized_bias_type
};

}  // namespace tinytune
